/* Certificates in a build without libwebsockets. */
#include "app/http/tls.h"

enum status tls_check(const struct tls_files *files)
{
    return files->certificate || files->key
               ? status_fail(STATUS_CONFIG, "--serve-certificate: this program was built without "
                                            "libwebsockets; install libwebsockets-dev and build it "
                                            "again")
               : STATUS_OK;
}
