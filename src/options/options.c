/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "options-options.h"

#include <string.h>

#include "base-argv.h"
#include "journal-journal.h"

static const char *const backend_words[] = { "oci", NULL };
static const char *const no_words[] = { NULL };
static const char *const rootfs_words[] = { "host", NULL };
static const char *const format_words[] = { "text", "man", "bash", "zsh", "fish", NULL };
static const char *const limit_words[] = {
  "memory=",           "pids=", "cpus=",        "open_files=", "output=",
  "output_action=end", "idle=", "output_rate=", "disk=",       NULL
};

static const char *name_of (const struct backend *backend)
{
  return backend->name;
}

static const char *runtime_of (const struct backend *backend)
{
  return str_has_prefix (backend->name, "oci:") ? backend->name + strlen ("oci:") : NULL;
}

static const char *document_of (const struct backend *backend)
{
  return backend->document;
}

static const struct option_info table[] = {
  [OPTION_PROFILE] = { "profile", "NAME|FILE", .complete = COMPLETE_PROFILE,
                       .help =
                           "the profile: a name that 'profile list' shows, or a file (default: baseline)" },
  [OPTION_BACKEND] = { "backend", "NAME", .complete = COMPLETE_WORDS, .words = backend_words,
                       .word_of = name_of,
                       .help = "what executes the plan: libcrun (default; crun or runc in a build "
                               "without), oci, oci:RUNTIME, docker, podman" },
  [OPTION_RUNTIME] = { "runtime", "NAME|PATH", .complete = COMPLETE_WORDS, .words = no_words,
                       .word_of = runtime_of,
                       .help =
                           "with oci: the runtime to execute (runc, runsc, crun, a path); with docker and "
                           "podman: the engine's name for one; alone it means the backend oci" },
  [OPTION_ROOTFS] = { "rootfs", "host|DIR", .complete = COMPLETE_DIRECTORY, .words = rootfs_words,
                      .help =
                          "the root: put together from the host's programs and libraries, without its data "
                          "(host, the default), or a directory" },
  [OPTION_IMAGE] = { "image", "REF",
                     .help =
                         "the root is an image: a name for docker and podman, oci:DIR[:TAG] for the others" },
  [OPTION_WORKSPACE] = { "workspace", "DIR", .complete = COMPLETE_DIRECTORY,
                         .help =
                             "the directory that appears as /workspace (default: the current directory)" },
  [OPTION_CWD] = { "cwd", "DIR",
                   .help = "the working directory inside (default: /workspace, or / where the profile gives "
                           "none)" },
  [OPTION_ENV] = { "env", "NAME[=VALUE]", .repeats = true,
                   .help =
                       "a variable for the command, where the profile lets its name pass; without a value "
                       "it is taken from the caller" },
  [OPTION_MOUNT] = { "mount", "SRC:DST[:ro|:rw]", .repeats = true, .complete = COMPLETE_FILE,
                     .help = "a host path to appear inside, where a mount of the profile holds it; read-only "
                             "unless it says rw" },
  [OPTION_SECRET] = { "secret", "NAME=FILE", .repeats = true,
                      .help = "the file for a secret that the profile names" },
  [OPTION_LIMIT] = { "limit", "KEY=VALUE", .repeats = true, .complete = COMPLETE_WORDS, .words = limit_words,
                     .help = "tighten a limit: memory=256M pids=32 cpus=0.5 open_files=256 output=1M "
                             "output_action=end "
                             "idle=10m output_rate=1M disk=100M" },
  [OPTION_TIMEOUT] = { "timeout", "DURATION", .help = "tighten limits.wall: 500ms, 30s, 5m, 1h" },
  [OPTION_GRACE] = { "grace", "DURATION",
                     .help = "how long after TERM a command that has to end gets KILL, 60s at most "
                             "(default: 2s); at most 2s after the deadline or a limit, where limits.wall is "
                             "set" },
  [OPTION_ACCEPT] = { "accept-unenforced", "CONTROL", .repeats = true, .complete = COMPLETE_CONTROL,
                      .help = "go on without a required control that cannot be enforced" },
  [OPTION_UNCONFINED] = { "rawdog-no-sandbox-at-all",
                          .help =
                              "the second key for a profile without a sandbox; the operator's ceiling is the "
                              "first" },
  [OPTION_HOST_FACTS] = { "host-facts", "FILE", .complete = COMPLETE_FILE,
                          .help = "plan for the host that FILE describes instead of this one" },
  [OPTION_TARGET] = { "target", "NAME", .complete = COMPLETE_WORDS, .words = no_words, .word_of = document_of,
                      .help =
                          "the document to print: oci, a config.json; docker or podman, what that engine is "
                          "asked to create (default: what the backend reads)" },
  [OPTION_BUNDLE] = { "bundle", "DIR", .complete = COMPLETE_DIRECTORY,
                      .help = "write a bundle instead of printing: config.json and, with --rootfs host, the "
                              "root; DIR is new or empty" },
  [OPTION_ENGINE_SOCKET] = { "engine-socket", "PATH", .complete = COMPLETE_FILE,
                             .help =
                                 "where the engine listens (default: DOCKER_HOST or CONTAINER_HOST, else the "
                                 "usual places)" },
  [OPTION_PULL] = { "pull", .help = "have the engine fetch an image that it does not have" },
  [OPTION_TTY] = { "tty", .help = "give the command a terminal of its own, joined to this one" },
  [OPTION_TRACE_TIME] = { "trace-time", .help = "say on standard error how long each phase of the run took" },
  [OPTION_RESULT] = { "result", "FILE", .complete = COMPLETE_FILE,
                      .help = "write the result, a JSON document, to FILE" },
  [OPTION_EVENTS] = { "events", "FD|FILE", .complete = COMPLETE_FILE,
                      .help =
                          "write events as JSON lines while the run goes on: posture, started, denial, "
                          "limit, ended; to the inherited descriptor of that number, or appended to FILE" },
  [OPTION_SIGNAL] = { "signal", "NAME", .help = "the signal to send: TERM (default), INT, HUP, KILL" },
  [OPTION_DRY_RUN] = { "dry-run", .help = "print the document, launch nothing" },
  [OPTION_REMOVE] = { "remove", .help = "take out what was put in before" },
  [OPTION_SYSTEM_ROOT] = { "root", "DIR", .complete = COMPLETE_DIRECTORY,
                           .help = "do it for the system whose root lies in DIR" },
  [OPTION_JSON] = { "json", .help = "print JSON for machines" },
  [OPTION_OPERATOR] = { "operator", .help = "run the operator's checklist instead" },
  [OPTION_TYRUM] = { "tyrum", .help = "print the five fields of Tyrum's /status.sandbox, and no other" },
  [OPTION_GATEWAY] = { "tyrum",
                       .help = "compare with what the gateway says, which is read from standard input" },
  [OPTION_TOOLRUNNER] = { "toolrunner", .help = "as a step of the configured ToolRunner gets it" },
  [OPTION_SHORT] = { "short", .help = "one line for each group of controls, without the evidence" },
  [OPTION_OBSERVE] = { "observe", .help = "launch on every backend that is here, and print what was seen" },
  [OPTION_MARKDOWN] = { "markdown", .help = "print a page for the documentation; with --observe" },
  [OPTION_NAMES] = { "names", .help = "print the names only, one to a line" },
  [OPTION_DIGEST] = { "digest", .help = "print the profile's digest instead" },
  [OPTION_CEILING] = { "ceiling", .help = "the schema of the operator's ceiling instead" },
  [OPTION_CONFIGURATION] = { "configuration", .help = "the schema of the operator's configuration instead" },
  [OPTION_RUN] = { "run", "ID",
                   .help = "only what belongs to this run, or to this container of an engine's" },
  [OPTION_KIND] = { "kind", "NAME", .repeats = true, .complete = COMPLETE_WORDS, .words = journal_kind_names,
                    .help = "only events of this kind" },
  [OPTION_SINCE] = { "since", "TIME",
                     .help = "only events from this time on: 2026-01-31, 2026-01-31T12:00:00Z, or 90m ago" },
  [OPTION_LAST] = { "last", "COUNT", .help = "the last COUNT events at most (default: 1000)" },
  [OPTION_FROM] = { "from", "NUMBER",
                    .help = "what is wrong before this line is known: look at the chain from here on" },
  [OPTION_ANCHOR] = { "anchor", "NUMBER:HASH",
                      .help = "a line's number and hash, as an earlier verify printed them and you kept them "
                              "elsewhere" },
  [OPTION_HOME] = { "home", "DIR", .complete = COMPLETE_DIRECTORY, .help = "the gateway's home" },
  [OPTION_DB] = { "db", "FILE|URI", .complete = COMPLETE_FILE, .help = "the gateway's database" },
  [OPTION_MIGRATIONS] = { "migrations-dir", "DIR", .complete = COMPLETE_DIRECTORY,
                          .help = "the gateway's migrations" },
  [OPTION_PAYLOAD] = { "payload-b64", "TEXT",
                       .help = "the step as base64url or base64 of its JSON (default: standard input)" },
  [OPTION_WITH_PARENT] = { "die-with-parent",
                           .help = "end the run when the thread that started this process ends" },
  [OPTION_FORMAT] = { "format", "NAME", .complete = COMPLETE_WORDS, .words = format_words,
                      .help =
                          "text (default), man for the manual page, or the completions for bash, zsh, fish" },
  [OPTION_SOCKET] = { "socket", "PATH", .complete = COMPLETE_FILE,
                      .help =
                          "where to listen (default: as configured, else in the directory of live runs)" },
  [OPTION_IDLE] = { "idle", "DURATION",
                    .help = "end after this long without a run (default: as configured, else 10m)" },
  [OPTION_VERSION] = { "version", .help = "print the version" },
  [OPTION_HELP] = { "help", .help = "print help" },
};

_Static_assert(ARRAY_LEN (table) == OPTION_COUNT, "describe every option");

const struct option_info *option_info (enum option option)
{
  return &table[option];
}

/* The rows of ACCEPTED, then --help, which every verb takes. */
static size_t list_accepted (const enum option *accepted, struct argv_option rows[OPTION_COUNT + 1])
{
  size_t count = 0;

  for (; *accepted != OPTION_COUNT; accepted++)
    rows[count++] = (struct argv_option){ table[*accepted].name, table[*accepted].value != NULL };
  rows[count++] = (struct argv_option){ table[OPTION_HELP].name, false };
  return count;
}

static int unknown_option (const struct argv_reader *reader, struct error *err)
{
  cleanup_free char *bare = strndup (reader->word, strcspn (reader->word, "="));
  const char *names[OPTION_COUNT + 1], *near;

  if (bare == NULL)
    return error_oom (err);
  for (size_t i = 0; i < reader->count; i++)
    names[i] = reader->options[i].name;
  if (strcmp (bare, "-h") == 0)
    near = table[OPTION_HELP].name;
  else
    near = str_nearest (bare + strspn (bare, "-"), names, reader->count);
  if (near != NULL)
    return error_set (err, CLI_USAGE, "unknown option '%s'; did you mean '--%s'?", bare, near);
  return error_set (err, CLI_USAGE, "unknown option '%s'; --help shows the options", bare);
}

static int take_option (const struct argv_reader *reader, enum option option, struct arguments *arguments,
                        struct error *err)
{
  const struct option_info *info = &table[option];
  const char *value = reader->value;

  if (value != NULL && value[0] == '\0')
    return error_set (err, CLI_USAGE, "option '--%s' has an empty value; it needs %s", info->name,
                      info->value);
  if (!info->repeats && arguments->values[option].count > 0)
    return error_set (err, CLI_USAGE, "option '--%s' is given twice", info->name);
  return strlist_add (&arguments->values[option], value ? value : "") < 0 ? error_oom (err) : 0;
}

/* Stops at "--", or at the first operand if that begins a command. */
static int take_word (struct argv_reader *reader, enum argv_kind kind, const enum option *accepted,
                      bool command, struct arguments *arguments, struct error *err)
{
  enum option option = reader->option + 1 < reader->count ? accepted[reader->option] : OPTION_HELP;

  switch (kind) {
  case ARGV_OPTION: return take_option (reader, option, arguments, err);
  case ARGV_NO_VALUE:
    return error_set (err, CLI_USAGE, "option '--%s' needs a value: --%s %s", table[option].name,
                      table[option].name, table[option].value);
  case ARGV_SURPLUS: return error_set (err, CLI_USAGE, "option '--%s' takes no value", table[option].name);
  case ARGV_UNKNOWN: return unknown_option (reader, err);
  default: break;
  }
  if (kind == ARGV_OPERAND && strlist_add (&arguments->operands, reader->word) < 0)
    return error_oom (err);
  if (kind == ARGV_OPERAND && !command)
    return 0;
  for (; *reader->rest != NULL; reader->rest++)
    if (strlist_add (&arguments->operands, *reader->rest) < 0)
      return error_oom (err);
  return 0;
}

int arguments_parse (char *const *argv, const enum option *accepted, bool command,
                     struct arguments *ret_arguments, struct error *err)
{
  cleanup_arguments struct arguments arguments = { 0 };
  struct argv_option rows[OPTION_COUNT + 1];
  struct argv_reader reader = { .rest = argv, .options = rows, .count = list_accepted (accepted, rows) };
  enum argv_kind kind;

  while ((kind = argv_next (&reader)) != ARGV_END) {
    int r = take_word (&reader, kind, accepted, command, &arguments, err);

    if (r < 0)
      return r;
  }
  *ret_arguments = arguments;
  arguments = (struct arguments){ 0 };
  return 0;
}

bool arguments_have (const struct arguments *arguments, enum option option)
{
  return arguments->values[option].count > 0;
}

const char *arguments_text (const struct arguments *arguments, enum option option)
{
  return arguments_have (arguments, option) ? arguments->values[option].items[0] : NULL;
}

void arguments_clear (struct arguments *arguments)
{
  for (size_t i = 0; i < OPTION_COUNT; i++)
    strlist_clear (&arguments->values[i]);
  strlist_clear (&arguments->operands);
}
