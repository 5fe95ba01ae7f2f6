/* Requests from the call that begins them to the one that completes them. */
#pragma once

#include "base/base.h"
#include "identity/request.h"
#include "mpi/call.h"

#pragma GCC visibility push(hidden)

struct lg_req *lg_remember(struct lg_call *c, uint32_t kind); /* the request that the call made; NULL */
void lg_after_begun(struct lg_call *c, uint32_t kind);
void lg_after_isendrecv(struct lg_call *c);
void lg_after_init_request(struct lg_call *c, uint32_t kind);
void lg_before_start(struct lg_call *c, int n); /* of n persistent requests */
void lg_before_request_free(struct lg_call *c);
void lg_before_cancel(struct lg_call *c);
void lg_before_wait(struct lg_call *c, uint32_t kind);
int lg_request_count(const struct lg_call *c); /* how many the call names */
uint32_t lg_list_tests(struct lg_call *c, uint32_t n);
uint32_t lg_list_status_query(struct lg_call *c, uint32_t n);
void lg_completed_all(struct lg_call *c);
/* false: none, perhaps since none is active: the index, or how many, is MPI_UNDEFINED (MPI-3.1 §3.7.5) */
bool lg_completed_any(struct lg_call *c);
bool lg_completed_some(struct lg_call *c);

#pragma GCC visibility pop
