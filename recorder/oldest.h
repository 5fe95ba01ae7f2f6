/* Included before every file of the recorder, which is thereby loaded by every C
 * library from glibc 2.17 on, whatever it was built with: newer ones have other
 * versions of the same functions, which older ones lack. recorder/floors tests
 * what the libraries ask for. */
#pragma once

#if defined __x86_64__
#define LG_BASE "GLIBC_2.2.5" /* glibc's first version for this processor */
#define LG_2_7 "GLIBC_2.7"
#define LG_2_12 "GLIBC_2.12"
#elif defined __aarch64__
#define LG_BASE "GLIBC_2.17"
#define LG_2_7 "GLIBC_2.17"
#define LG_2_12 "GLIBC_2.17"
#endif

#define LG_AS(function, name, version) __asm__(".symver " #function "," #name "@" version);
#define LG_OLD(function) LG_AS(function, function, LG_BASE)

/* moved into libc.so.6 by glibc 2.32 and 2.34 */
LG_OLD(dladdr)
LG_OLD(dlopen)
LG_OLD(dlsym)
LG_OLD(pthread_attr_getstack)
LG_OLD(pthread_attr_setstacksize)
LG_OLD(pthread_create)
LG_OLD(pthread_getattr_np)
LG_OLD(pthread_getspecific)
LG_OLD(pthread_key_create)
LG_OLD(pthread_once)
LG_OLD(pthread_setspecific)
LG_OLD(pthread_sigmask)
LG_AS(pthread_setname_np, pthread_setname_np, LG_2_12)

/* given other names by glibc 2.38 */
LG_AS(__isoc23_strtol, strtol, LG_BASE)
LG_AS(__isoc23_strtoull, strtoull, LG_BASE)
LG_AS(__isoc23_sscanf, __isoc99_sscanf, LG_2_7)
