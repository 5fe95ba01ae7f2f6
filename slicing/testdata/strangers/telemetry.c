// report: rank=0 size=3 stop=MPI_Probe:10
// The frames of stations are collected after a plan in text, with spans and periods: the
// number of frames is rounded up too far where the period divides the span.
#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXSENSORS 8
#define MAXSTATIONS 4
#define MAXWORDS 12

typedef struct
{
    char name[8];
    int station;
    int span, period;
    int next;
} Sensor;

typedef struct
{
    Sensor sensors[MAXSENSORS];
    int nsensors;
    int first[MAXSTATIONS];
    int last[MAXSTATIONS];
} Plan;

typedef struct
{
    const char *at;
} Scanner;

static const char planText[] = "1:tmp=90s/20s; 2:wnd=1h/25m; 1:hum=2m/30s";

static int scanEnd(Scanner *s)
{
    while (*s->at == ' ' || *s->at == ';') // slice
        s->at++; // slice
    return *s->at == '\0'; // slice
}

static int scanNumber(Scanner *s)
{
    int v = 0; // slice
    while (isdigit((unsigned char)*s->at)) // slice
    {
        v = 10 * v + (*s->at - '0'); // slice
        s->at++; // slice
    }
    return v; // slice
}

static void scanName(Scanner *s, char *name, int room)
{
    int n = 0;
    while (isalpha((unsigned char)*s->at)) // slice
    {
        if (n < room - 1)
            name[n++] = *s->at;
        s->at++; // slice
    }
    name[n] = '\0';
}

static void scanSkip(Scanner *s)
{
    s->at++; // slice
}

/* A number of seconds, minutes or hours. */
static int scanTime(Scanner *s)
{
    int v = scanNumber(s); // slice
    switch (*s->at) // slice
    {
    case 'm':
        v *= 60; // slice
        break;
    case 'h':
        v *= 3600; // slice
        break;
    }
    scanSkip(s); // slice
    return v; // slice
}

static void planAppend(Plan *p, int sensor)
{
    int station = p->sensors[sensor].station; // slice
    p->sensors[sensor].next = -1; // slice
    if (p->first[station] < 0) // slice
        p->first[station] = sensor; // slice
    else
        p->sensors[p->last[station]].next = sensor; // slice
    p->last[station] = sensor; // slice
}

static void planRead(Plan *p, const char *text)
{
    Scanner scan = {text}; // slice
    p->nsensors = 0; // slice
    for (int i = 0; i < MAXSTATIONS; i++) // slice
        p->first[i] = -1; // slice
    while (!scanEnd(&scan)) // slice
    {
        Sensor *s = &p->sensors[p->nsensors]; // slice
        s->station = scanNumber(&scan); // slice
        scanSkip(&scan); // slice
        scanName(&scan, s->name, (int)sizeof s->name); // slice
        scanSkip(&scan); // slice
        s->span = scanTime(&scan); // slice
        scanSkip(&scan); // slice
        s->period = scanTime(&scan); // slice
        planAppend(p, p->nsensors); // slice
        p->nsensors++; // slice
    }
}

static int planFrames(const Sensor *s)
{
    return (s->span + s->period) / s->period; // root
}

/* One frame of any length, with its sum. */
static double takeFrame(int station, int sensor, MPI_Comm comm)
{
    double words[MAXWORDS], sum = 0;
    int n;
    MPI_Status st;
    MPI_Probe(station, sensor, comm, &st); // stop
    MPI_Get_count(&st, MPI_DOUBLE, &n);
    if (n > MAXWORDS)
        n = MAXWORDS;
    MPI_Recv(words, n, MPI_DOUBLE, station, sensor, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        sum += words[i];
    return sum;
}

static void collect(const Plan *p, int size, MPI_Comm comm)
{
    for (int station = 1; station < size; station++) // slice
        for (int k = p->first[station]; k >= 0; k = p->sensors[k].next) // slice
        {
            const Sensor *s = &p->sensors[k]; // slice
            double sum = 0;
            for (int f = 0; f < planFrames(s); f++) // slice
                sum += takeFrame(station, k, comm); // slice
            printf("%s of %d: %g\n", s->name, station, sum);
        }
}

static void measure(const Plan *p, int rank, MPI_Comm comm)
{
    double words[MAXWORDS];
    for (int k = p->first[rank]; k >= 0; k = p->sensors[k].next)
    {
        const Sensor *s = &p->sensors[k];
        for (int t = 0; t < s->span; t += s->period)
        {
            int n = 1 + t % MAXWORDS;
            for (int i = 0; i < n; i++)
                words[i] = rank + 0.01 * t;
            MPI_Send(words, n, MPI_DOUBLE, 0, k, comm);
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    Plan plan;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
    MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
    planRead(&plan, planText); // slice
    if (rank == 0) // slice
        collect(&plan, size, MPI_COMM_WORLD); // slice
    else
        measure(&plan, rank, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
