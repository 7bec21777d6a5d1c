/* Are lines of JSON as a schema defines them? Reads documents from stdin, one a line, each with a
 * member `schema`, NAME/VERSION, and checks it against $defs/NAME of the file.
 * usage: schema_check SCHEMA; ends with 1 and a sentence for each that is not.
 *
 * What of JSON Schema (2020-12) is read: type, const, enum,
 * properties, required, additionalProperties, items, anyOf, $ref to $defs. Another word is an
 * error, so that nothing in the file goes unchecked. */
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct json_object *definitions;

static bool schema_holds(struct json_object *schema, struct json_object *value, const char *where,
                         bool tell);

static bool wrong(bool tell, const char *where, const char *what, struct json_object *value)
{
    if (tell)
        printf("%s: %s: %s\n", where, what, json_object_to_json_string(value));
    return false;
}

static bool type_is(const char *type, struct json_object *value)
{
    enum json_type is = json_object_get_type(value);
    if (!strcmp(type, "number"))
        return is == json_type_int || is == json_type_double;
    if (!strcmp(type, "integer"))
        return is == json_type_int;
    return !strcmp(type, json_type_to_name(is));
}

/* One type, or a list of them. */
static bool type_holds(struct json_object *types, struct json_object *value)
{
    if (json_object_is_type(types, json_type_string))
        return type_is(json_object_get_string(types), value);
    for (size_t i = 0; i < json_object_array_length(types); i++)
        if (type_is(json_object_get_string(json_object_array_get_idx(types, i)), value))
            return true;
    return false;
}

static bool one_holds(struct json_object *schemas, struct json_object *value, const char *where)
{
    for (size_t i = 0; i < json_object_array_length(schemas); i++)
        if (schema_holds(json_object_array_get_idx(schemas, i), value, where, false))
            return true;
    return false;
}

static bool is_listed(struct json_object *list, struct json_object *value)
{
    for (size_t i = 0; i < json_object_array_length(list); i++)
        if (json_object_equal(json_object_array_get_idx(list, i), value))
            return true;
    return false;
}

static bool properties_hold(struct json_object *properties, struct json_object *value,
                            const char *where, bool tell)
{
    char path[300];
    bool good = true;
    json_object_object_foreach(value, key, member)
    {
        struct json_object *schema;
        snprintf(path, sizeof path, "%s.%s", where, key);
        if (!json_object_object_get_ex(properties, key, &schema))
            good = wrong(tell, path, "is not defined", member);
        else if (!schema_holds(schema, member, path, tell))
            good = false;
    }
    return good;
}

static bool required_hold(struct json_object *required, struct json_object *value,
                          const char *where, bool tell)
{
    bool good = true;
    for (size_t i = 0; i < json_object_array_length(required); i++) {
        const char *key = json_object_get_string(json_object_array_get_idx(required, i));
        if (!json_object_object_get_ex(value, key, NULL))
            good =
                wrong(tell, where, "a member is missing", json_object_array_get_idx(required, i));
    }
    return good;
}

static bool items_hold(struct json_object *schema, struct json_object *value, const char *where,
                       bool tell)
{
    char path[300];
    bool good = true;
    for (size_t i = 0; i < json_object_array_length(value); i++) {
        snprintf(path, sizeof path, "%s[%zu]", where, i);
        good = schema_holds(schema, json_object_array_get_idx(value, i), path, tell) && good;
    }
    return good;
}

static bool reference_holds(const char *to, struct json_object *value, const char *where, bool tell)
{
    struct json_object *schema = NULL;
    if (strncmp(to, "#/$defs/", 8) != 0 ||
        !json_object_object_get_ex(definitions, to + 8, &schema)) {
        fprintf(stderr, "schema_check: %s leads nowhere\n", to);
        exit(2);
    }
    return schema_holds(schema, value, where, tell);
}

static bool word_holds(const char *word, struct json_object *says, struct json_object *value,
                       const char *where, bool tell)
{
    bool object = json_object_is_type(value, json_type_object);
    if (!strcmp(word, "type"))
        return type_holds(says, value) || wrong(tell, where, "is of another type", value);
    if (!strcmp(word, "const"))
        return json_object_equal(says, value) || wrong(tell, where, "is another value", value);
    if (!strcmp(word, "enum"))
        return is_listed(says, value) || wrong(tell, where, "is none of the values", value);
    if (!strcmp(word, "anyOf"))
        return one_holds(says, value, where) || wrong(tell, where, "is none of the kinds", value);
    if (!strcmp(word, "$ref"))
        return reference_holds(json_object_get_string(says), value, where, tell);
    if (!strcmp(word, "properties"))
        return !object || properties_hold(says, value, where, tell);
    if (!strcmp(word, "required"))
        return !object || required_hold(says, value, where, tell);
    if (!strcmp(word, "items"))
        return !json_object_is_type(value, json_type_array) || items_hold(says, value, where, tell);
    if (!strcmp(word, "additionalProperties") || !strcmp(word, "description"))
        return true; /* properties_hold takes no other */
    fprintf(stderr, "schema_check: '%s' is not read here\n", word);
    exit(2);
}

static bool schema_holds(struct json_object *schema, struct json_object *value, const char *where,
                         bool tell)
{
    bool good = true;
    json_object_object_foreach(schema, word, says)
    {
        good = word_holds(word, says, value, where, tell) && good;
    }
    return good;
}

static bool line_holds(const char *line)
{
    struct json_object *document = json_tokener_parse(line), *name = NULL, *schema = NULL;
    char key[64] = "";
    if (json_object_object_get_ex(document, "schema", &name))
        snprintf(key, sizeof key, "%.*s", (int)strcspn(json_object_get_string(name), "/"),
                 json_object_get_string(name));
    bool good = *key && json_object_object_get_ex(definitions, key, &schema);
    if (good)
        good = schema_holds(schema, document, key, true);
    else
        printf("no schema is defined for this: %.200s\n", line);
    json_object_put(document);
    return good;
}

int main(int argc, char **argv)
{
    struct json_object *file = argc == 2 ? json_object_from_file(argv[1]) : NULL;
    if (!json_object_object_get_ex(file, "$defs", &definitions)) {
        fprintf(stderr, "schema_check: no $defs in the schema\n");
        return 2;
    }
    char *line = NULL;
    size_t bytes = 0;
    int lines = 0, bad = 0;
    for (; getline(&line, &bytes, stdin) > 0; lines++)
        bad += !line_holds(line);
    free(line);
    json_object_put(file);
    if (lines == 0)
        puts("no line");
    return bad > 0 || lines == 0;
}
