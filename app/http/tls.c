#include "app/http/tls.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "app/http/http_server.h"
#include "app/process/message.h"
#include "library/text/text_file.h"

enum { PEM_BYTES_MOST = 1 << 20 };

/* The key, if it can be read as one without a passphrase, for which OpenSSL would ask at the
 * terminal. */
static enum status key_text_check(const char *path, const char *text)
{
    if (!strstr(text, "PRIVATE KEY-----"))
        return status_fail(STATUS_BAD_DATA,
                           "--serve-key: %.200s is no private key in PEM (\"-----BEGIN PRIVATE "
                           "KEY-----\")",
                           path);
    if (strstr(text, "ENCRYPTED"))
        return status_fail(
            STATUS_BAD_DATA,
            "--serve-key: %.200s has a passphrase, which nobody could type; `openssl "
            "pkey -in FILE -out NEW` writes the key without",
            path);
    return STATUS_OK;
}

/* Group members may read a key of root, as Debian's group ssl-cert does. */
static enum status key_mode_check(const char *path)
{
    struct stat is;
    if (stat(path, &is) != 0)
        return status_fail(STATUS_NO_INPUT, "--serve-key: %.200s cannot be looked at", path);
    if (is.st_mode & (S_IRWXO | S_IWGRP) || (is.st_mode & S_IRGRP && is.st_uid != 0))
        return status_fail(STATUS_CONFIG,
                           "--serve-key: other users may read or write %.200s (mode %03o), and who "
                           "has it can pass for this page; chmod 600 makes it yours alone",
                           path, (unsigned)is.st_mode & 0777);
    return STATUS_OK;
}

static enum status pem_read(const char *option, const char *path, char **text, size_t *length)
{
    char why[STATUS_TEXT_BYTES];
    enum status status = text_file_read(path, PEM_BYTES_MOST, text, length);
    if (status == STATUS_OK || status == STATUS_OUT_OF_MEMORY)
        return status;
    snprintf(why, sizeof why, "%s", status_text());
    return status_fail(status, "%s takes a file in PEM: %.400s", option, why);
}

static enum status key_check(const char *path)
{
    char *text;
    size_t length;
    TRY(pem_read("--serve-key", path, &text, &length));
    enum status status = key_text_check(path, text);
    explicit_bzero(text, length);
    free(text);
    TRY(status);
    return key_mode_check(path);
}

static enum status certificate_check(const char *path)
{
    char *text;
    size_t length;
    TRY(pem_read("--serve-certificate", path, &text, &length));
    bool is = strstr(text, "-----BEGIN CERTIFICATE-----");
    free(text);
    return is ? STATUS_OK
              : status_fail(STATUS_BAD_DATA,
                            "--serve-certificate: %.200s is no certificate in PEM (\"-----BEGIN "
                            "CERTIFICATE-----\")",
                            path);
}

#ifdef LWS_WITH_TLS

static void over_warn(const char *path, time_t until)
{
    char text[600], date[32];
    struct tm utc;
    if (!gmtime_r(&until, &utc) || !strftime(date, sizeof date, "%Y-%m-%d", &utc))
        return;
    snprintf(text, sizeof text,
             "--serve-certificate: %.200s was valid until %s; browsers will warn of it", path,
             date);
    message_print(text);
}

/* Lets the library load both into a context that listens nowhere. */
static enum status pair_check(const struct tls_files *files)
{
    static const struct lws_protocols protocols[] = {
        {.name = "http", .callback = lws_callback_http_dummy}, {.name = NULL}};
    struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
                                             .protocols = protocols,
                                             .vhost_name = "trial",
                                             .gid = (gid_t)-1,
                                             .uid = (uid_t)-1};
    union lws_tls_cert_info_results facts;
    http_tls_set(&info, files);
    struct lws_context *context = http_context_create(&info);
    if (!context)
        return status_fail(
            STATUS_CONFIG,
            "--serve-key: %.200s is not the key of the certificate in %.200s, or one "
            "of them is damaged",
            files->key, files->certificate);
    struct lws_vhost *host = lws_get_vhost_by_name(context, "trial");
    if (host &&
        lws_tls_vhost_cert_info(host, LWS_TLS_CERT_INFO_VALIDITY_TO, &facts, sizeof facts) == 0 &&
        facts.time < time(NULL))
        over_warn(files->certificate, facts.time);
    lws_context_destroy(context);
    return STATUS_OK;
}

#else

static enum status pair_check(const struct tls_files *files)
{
    (void)files;
    return status_fail(STATUS_CONFIG, "--serve-certificate: the libwebsockets of this program was "
                                      "built without TLS; the line with ssh encrypts, too");
}

#endif

enum status tls_check(const struct tls_files *files)
{
    if (!files->certificate && !files->key)
        return STATUS_OK;
    if (!files->key)
        return status_fail(STATUS_CONFIG, "--serve-certificate needs --serve-key FILE, the private "
                                          "key of that certificate");
    if (!files->certificate)
        return status_fail(STATUS_CONFIG, "--serve-key needs --serve-certificate FILE, the "
                                          "certificate of that key");
    TRY(certificate_check(files->certificate));
    TRY(key_check(files->key));
    return pair_check(files);
}
