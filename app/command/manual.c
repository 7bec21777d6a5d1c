#include "app/command/manual.h"

#include <ctype.h>
#include <string.h>

#include "app/command/help.h"

/* Writes text that roff takes as it is: "-" a minus that can be copied into a shell, no quotes
 * turned into typographic ones, and no line that begins a request. */
static void text_write(const char *text, size_t length, FILE *stream)
{
    static const struct {
        char letter;
        const char *name;
    } names[] = {{'\\', "\\e"},  {'-', "\\-"},   {'~', "\\(ti"},
                 {'^', "\\(ha"}, {'`', "\\(ga"}, {'\'', "\\(aq"}};
    bool first = true;
    for (size_t i = 0; i < length; i++) {
        const char *name = NULL;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (names[k].letter == text[i])
                name = names[k].name;
        if (first && text[i] == '.')
            fputs("\\&", stream);
        if (name)
            fputs(name, stream);
        else
            fputc(text[i], stream);
        first = text[i] == '\n';
    }
}

static void line_write(const char *text, FILE *stream)
{
    text_write(text, strlen(text), stream);
    fputc('\n', stream);
}

/* "\fBtext\fR" */
static void word_write(char font, const char *text, FILE *stream)
{
    fprintf(stream, "\\f%c", font);
    text_write(text, strlen(text), stream);
    fputs("\\fR", stream);
}

/* Paragraphs are apart by an empty line; lines that begin with a space stay as they are. The first
 * paragraph of a section needs no request before it. */
static void paragraphs_write(const char *text, bool begins_section, FILE *stream)
{
    bool inside = begins_section, lines = false;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        bool wanted = *text == ' ';
        if (lines && !wanted)
            fputs(".EE\n.RE\n", stream);
        if (length && !inside && !wanted)
            fputs(".PP\n", stream);
        if (wanted && !lines)
            fputs(".RS\n.EX\n", stream);
        text_write(text, length, stream);
        if (length)
            fputc('\n', stream);
        inside = length > 0;
        lines = wanted;
    }
    if (lines)
        fputs(".EE\n.RE\n", stream);
}

static void title_write(const char *name, const char *date, FILE *stream)
{
    fputs(".\\\" Made from the lists of commands and options by deepfield_documents.\n.TH \"",
          stream);
    for (; *name; name++)
        fputc(toupper((unsigned char)*name), stream);
    fprintf(stream, "\" 1 %s \"deepfield %s\" \"User Commands\"\n", date, DEEPFIELD_VERSION);
}

static void option_write(enum option_key option, const struct command *command, FILE *stream)
{
    const struct option_row *row = &option_rows[option];
    const char *fallback = help_fallback(row, command);
    char range[256];
    fputs(".TP\n", stream);
    if (row->letter)
        word_write('B', (const char[]){'-', row->letter, '\0'}, stream);
    fputs(row->letter ? ", \\fB\\-\\-" : "\\fB\\-\\-", stream);
    text_write(row->flag, strlen(row->flag), stream);
    fputs("\\fR", stream);
    if (row->argument) {
        fputc(' ', stream);
        word_write('I', row->argument, stream);
    }
    fputc('\n', stream);
    text_write(row->help, strlen(row->help), stream);
    if (fallback) {
        fputs(" [", stream);
        text_write(fallback, strlen(fallback), stream);
        fputc(']', stream);
    }
    fputc('\n', stream);
    if (row->type == OPTION_CHOICE || row->type == OPTION_SIZE || row->type == OPTION_PLANES) {
        option_range(option, range, sizeof range);
        fputs(".br\n", stream);
        line_write(range, stream);
    }
}

static void options_write(const struct command *command, FILE *stream)
{
    const char *last = "";
    fputs(".SH OPTIONS\n", stream);
    for (int i = 0; i < OPTIONS; i++) {
        if (!help_shows((enum option_key)i, command))
            continue;
        const char *heading = help_heading(&option_rows[i]);
        if (strcmp(last, heading) != 0)
            fprintf(stream, ".SS %s\n", heading);
        last = heading;
        option_write((enum option_key)i, command, stream);
    }
}

void manual_command(const struct command *command, const char *date, FILE *stream)
{
    char name[64];
    snprintf(name, sizeof name, "deepfield-%s", command->name);
    title_write(name, date, stream);
    fputs(".SH NAME\n", stream);
    text_write(name, strlen(name), stream);
    fputs(" \\- ", stream);
    line_write(command->summary, stream);
    fprintf(stream, ".SH SYNOPSIS\n\\fBdeepfield %s\\fR", command->name);
    if (command->operand) {
        fputc(' ', stream);
        word_write('I', command->operand, stream);
    }
    fputs(" [\\fIoptions\\fR]\n.SH DESCRIPTION\n", stream);
    if (help_takes_view(command))
        paragraphs_write(help_view_text, true, stream);
    paragraphs_write(command->help, !help_takes_view(command), stream);
    options_write(command, stream);
    if (help_takes_keys(command))
        paragraphs_write(help_settings_text, false, stream);
    fputs(".SH EXAMPLES\n.EX\n", stream);
    text_write(command->examples, strlen(command->examples), stream);
    fputs(".EE\n.SH SEE ALSO\n.BR deepfield (1)\n", stream);
}

void manual_program(const char *date, FILE *stream)
{
    title_write("deepfield", date, stream);
    fputs(".SH NAME\ndeepfield \\- explore and render the Mandelbrot set and other formulas\n"
          ".SH SYNOPSIS\n\\fBdeepfield\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n"
          ".SH DESCRIPTION\n"
          "Each command has a page of its own, and\n.B deepfield help\n"
          "lists pages of a guide that it shows.\n"
          ".SH COMMANDS\n",
          stream);
    for (int i = 0; i < commands_count; i++) {
        fprintf(stream, ".TP\n.BR deepfield\\-%s (1)\n", commands[i].name);
        line_write(commands[i].summary, stream);
    }
    fputs(".SH EXIT STATUS\n0, or a code of\n.BR sysexits.h (3head);\n.B deepfield help "
          "exit\\-codes\n"
          "says what each means.\n"
          ".SH ENVIRONMENT\n.TP\n.B DEEPFIELD_DATA\n"
          "folder that holds configs and assets, in place of those that were installed\n",
          stream);
    for (int i = 0; i < OPTIONS; i++) {
        char variable[64];
        if (!option_environment((enum option_key)i, variable, sizeof variable))
            continue;
        fprintf(stream, ".TP\n.B %s\n", variable);
        word_write('B', "--", stream);
        word_write('B', option_rows[i].flag, stream);
        fputs(": ", stream);
        line_write(option_rows[i].help, stream);
    }
    fputs(".SH SEE ALSO\n", stream);
    for (int i = 0; i < commands_count; i++)
        fprintf(stream, ".BR deepfield\\-%s (1)%s\n", commands[i].name,
                i + 1 < commands_count ? "," : "");
}
