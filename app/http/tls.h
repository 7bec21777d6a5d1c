/* The certificate of a server that encrypts (TLS): two files in PEM, checked before a server opens,
 * so that what is wrong with them is said in a sentence. */
#ifndef APP_HTTP_TLS_H
#define APP_HTTP_TLS_H

#include "kernels/status.h"

struct tls_files {           /* zeroed: no encryption; borrowed */
    const char *certificate; /* certificate of the server, those of its authorities behind it */
    const char *key;         /* its private key, without a passphrase */
};

/* Can these be used? Prints a warning for a certificate whose time is over. Another user who reads
 * the key can pass for this server, so files that others may read are refused. STATUS_CONFIG: one
 * of the two is missing, or they do not belong together; this build cannot encrypt.
 * STATUS_NO_INPUT, STATUS_BAD_DATA: a file. */
enum status tls_check(const struct tls_files *files);

#endif
