/* What is wanted, and who is told of bytes that were moved. */
#include <errno.h>
#include "export.h"
#include "libc/libc.h"

unsigned lg_wants;

__attribute__((constructor)) static void ready(void)
{
  if (!laggard_records)
    return; /* liblaggard.so is not loaded */
  lg_wants = (laggard_records("volume") ? LG_WANTS_VOLUME : 0) | (laggard_records("movement") ? LG_WANTS_MOVEMENT : 0);
  if (lg_wants & LG_WANTS_MOVEMENT)
    lg_allocators_start();
}

void lg_moved(const struct lg_io *io)
{
  int before = errno;
  if (laggard_recording() && lg_wants & LG_WANTS_VOLUME && io->out)
    laggard_sent(io->function, io->bytes, io->ra, io->cfa);
  if (lg_wants & LG_WANTS_MOVEMENT && laggard_moving())
    lg_connection_moved(io);
  errno = before;
}
