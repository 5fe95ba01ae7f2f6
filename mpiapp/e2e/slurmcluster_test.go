//go:build e2e && slurm

package e2e

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"

	"laggard/internal/musttest"
)

// nodes is how many nodes the cluster has.
const nodes = 4

// cluster is a Slurm of its own: munged, slurmctld and four slurmd. Each slurmd
// has a host name and a /dev/shm of its own, as on nodes of their own.
type cluster struct {
	t       *testing.T
	dir     string
	env     []string
	daemons []*exec.Cmd
}

// slurmConf is the configuration; what is unusual in it lets several nodes be on
// one machine, of any size, and listen on loopback only.
var slurmConf = template.Must(template.New("").Parse(`ClusterName=laggard
SlurmctldHost={{.Host}}(127.0.0.1)
SlurmctldPort={{.Port}}
AuthType=auth/munge
AuthInfo=socket={{.Dir}}/munge.socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
SlurmdUser=root
StateSaveLocation={{.Dir}}/state
SlurmctldPidFile={{.Dir}}/slurmctld.pid
SlurmctldLogFile={{.Dir}}/slurmctld.log
SlurmdPidFile={{.Dir}}/%n.pid
SlurmdLogFile={{.Dir}}/%n.log
SlurmdSpoolDir={{.Dir}}/%n.spool
TmpFS={{.Dir}}/%n.tmp
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=pmix
ReturnToService=2
KillWait=5
Epilog={{.Dir}}/epilog.sh
{{range .Nodes}}NodeName={{.Name}} NodeAddr=127.0.0.1 Port={{.Port}} CPUs=16 State=UNKNOWN
{{end}}PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=FORCE:8 State=UP
`))

type slurmNode struct {
	Name string
	Port int
}

// newCluster starts the daemons; they end with the test.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	wantSlurm(t)
	dir := musttest.Get(os.MkdirTemp("/tmp", "lgsl"))(t) // short: there are sockets in it
	c := &cluster{t: t, dir: dir, env: clusterEnv(t, dir)}
	t.Cleanup(c.stopAll)
	for _, sub := range []string{"state", "work", "tmp"} {
		musttest.Succeed(t, os.Mkdir(filepath.Join(dir, sub), 0o755))
	}
	names := c.configure()
	c.startDaemon("munged", "--foreground", "--force", "--key-file="+c.path("munge.key"), "--socket="+c.path("munge.socket"),
		"--pid-file="+c.path("munged.pid"), "--log-file="+c.path("munged.log"), "--seed-file="+c.path("munged.seed"))
	c.startDaemon("slurmctld", "-D", "-f", c.path("slurm.conf"))
	for _, n := range names {
		c.startDaemon("unshare", "--uts", "--mount", "sh", "-c", nodeScript, "sh", n.Name, c.path("slurm.conf"),
			c.path("hosts"))
	}
	c.eventually(t, "all nodes idle", func() bool {
		out, _ := c.runAsUser("sinfo", "--noheader", "--Node", "--format=%t")
		return strings.Count(out, "idle\n") == nodes
	})
	return c
}

// wantSlurm skips where a cluster cannot be.
func wantSlurm(t *testing.T) {
	t.Helper()
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no Slurm here (Debian: slurm-wlm munge): %v", err)
		}
	}
	if out, err := exec.Command("unshare", "--uts", "--mount", "true").CombinedOutput(); err != nil {
		t.Skipf("no nodes can be played here, root can: %s", out)
	}
}

// nodeScript makes the process a node and then a slurmd.
const nodeScript = `hostname "$1" && mount -t tmpfs shm /dev/shm && mount --bind "$3" /etc/hosts && exec slurmd -D -f "$2" -N "$1"`

func (c *cluster) path(name string) string { return filepath.Join(c.dir, name) }

// clusterEnv is the environment of the daemons and of those who submit. Slurm's
// nodes have one network address here, which MPI must be told. Slurm's fence
// goes round a ring: with its tree a rank can leave MPI_Init before another is
// ready, which dies of the first message (docs/manual/jobs.md).
func clusterEnv(t *testing.T, dir string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "LAGGARD_") && !strings.HasPrefix(name, "SLURM") && name != "TMPDIR" &&
			name != "PATH" {
			env = append(env, kv)
		}
	}
	return append(env, "SLURM_CONF="+filepath.Join(dir, "slurm.conf"), "TMPDIR="+filepath.Join(dir, "tmp"),
		"PATH="+binaryDir(t)+":"+os.Getenv("PATH")+":/usr/sbin:/sbin", "LAGGARD_QUIET_MS=500", "LAGGARD_TIMEOUT=5s",
		"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=self,vader,tcp", "OMPI_MCA_btl_tcp_if_include=lo",
		"OMPI_MCA_mpi_yield_when_idle=1", "SLURM_PMIX_FENCE=ring",
		"UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo")
}

// configure writes key, configuration and epilogue.
func (c *cluster) configure() []slurmNode {
	key := make([]byte, 128)
	musttest.Get(rand.Read(key))(c.t)
	musttest.Succeed(c.t, os.WriteFile(c.path("munge.key"), key, 0o400))
	epilog := musttest.Get(filepath.Abs("../../jobscripts/slurm/epilog.sh"))(c.t)
	text := fmt.Sprintf("#!/bin/sh\nPATH=%s:$PATH exec %s >>%s/epilog-$SLURMD_NODENAME.log 2>&1\n", binaryDir(c.t),
		epilog, c.dir)
	musttest.Succeed(c.t, os.WriteFile(c.path("epilog.sh"), []byte(text), 0o755))
	host := musttest.Get(os.Hostname())(c.t)
	hosts := "127.0.0.1 localhost " + host
	for i := range nodes {
		hosts += fmt.Sprintf(" node%d", i+1)
	}
	musttest.Succeed(c.t, os.WriteFile(c.path("hosts"), []byte(hosts+"\n"), 0o644))
	ports := freePorts(c.t, nodes+1)
	var names []slurmNode
	for i := range nodes {
		n := slurmNode{fmt.Sprintf("node%d", i+1), ports[i+1]}
		musttest.Succeed(c.t, os.Mkdir(c.path(n.Name+".tmp"), 0o700))
		names = append(names, n)
	}
	f := musttest.Get(os.Create(c.path("slurm.conf")))(c.t)
	defer f.Close()
	musttest.Succeed(c.t, slurmConf.Execute(f, map[string]any{"Dir": c.dir, "Host": host, "Port": ports[0], "Nodes": names}))
	return names
}

func freePorts(t *testing.T, n int) (ports []int) {
	for range n {
		l := musttest.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

func (c *cluster) startDaemon(args ...string) {
	c.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	log := musttest.Get(os.OpenFile(c.path("daemons.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644))(c.t)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // should the test be killed
	cmd.Env = c.env
	musttest.Succeed(c.t, cmd.Start())
	c.daemons = append(c.daemons, cmd)
}

// stopAll ends the jobs and the daemons, last started first, and whatever is left
// of the jobs: it has the cluster's configuration in its environment.
func (c *cluster) stopAll() {
	if c.t.Failed() {
		c.t.Log(c.logTails())
	}
	_, _ = c.runAsUser("scancel", "--full", "--signal=KILL", "--user=root")
	_, _ = c.runAsUser("scancel", "--user=root")
	for i := len(c.daemons) - 1; i >= 0; i-- {
		d := c.daemons[i]
		_ = d.Process.Signal(syscall.SIGTERM)
		killer := time.AfterFunc(5*time.Second, func() { _ = d.Process.Kill() })
		_ = d.Wait()
		killer.Stop()
	}
	for _, pid := range withVariable("SLURM_CONF=" + c.path("slurm.conf")) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	os.RemoveAll(c.dir)
}

// withVariable lists the processes that have this in their environment.
func withVariable(kv string) (pids []int) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains("\x00"+string(text), "\x00"+kv+"\x00") {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (c *cluster) logTails() string {
	var b strings.Builder
	names, _ := filepath.Glob(c.path("*.log"))
	more, _ := filepath.Glob(c.path("work/*.[ot][ux]t"))
	for _, name := range append(names, more...) {
		text, _ := os.ReadFile(name)
		fmt.Fprintf(&b, "==> %s\n%s\n", filepath.Base(name), text[max(0, len(text)-3000):])
	}
	return b.String()
}

// runAsUser runs a command of Slurm's as a user in the directory work. A command that waits for a job that Slurm never
// starts is interrupted: the case fails, and the others go on.
func (c *cluster) runAsUser(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env, cmd.Dir = c.env, c.path("work")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func (c *cluster) eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begin := time.Now(); !holds(); time.Sleep(300 * time.Millisecond) {
		if time.Since(begin) > 2*patience {
			t.Fatalf("waited %s for: %s\n%s", 2*patience, what, c.logTails())
		}
	}
}
