/* Is this built with a sanitizer? Memory and times are others then. */
#ifndef TESTS_SUPPORT_SANITIZED_H
#define TESTS_SUPPORT_SANITIZED_H

#ifdef DEEPFIELD_SANITIZED
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#endif
