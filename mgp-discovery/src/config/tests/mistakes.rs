//! The message about each kind of mistake, and the place that it points to.

use crate::config::{Config, ConfigError, MAX_FILE_SIZE};
use expect_test::{Expect, expect};
use std::path::Path;

#[expect(clippy::needless_pass_by_value, reason = "expect! makes a value")]
pub(super) fn check(text: &str, expected: Expect) {
    let env = |name: &str| (name == "SET").then(|| "value".to_owned());
    let error = Config::parse(Path::new("mgp.toml"), text.as_bytes(), &env).expect_err("a mistake");
    let shown = error.problems().iter().map(|problem| {
        let at = &text[problem.span()];
        let help = problem.advice().map(|help| format!("\n  help: {help}")).unwrap_or_default();
        format!("{}:{} {at:?}\n  {problem}{help}", problem.line(), problem.column())
    });
    expected.assert_eq(&shown.collect::<Vec<_>>().join("\n"));
}

const SERVER: &str = "[[servers]]\nid = \"a\"\ncommand = \"x\"\n";

pub(super) fn server_with(lines: &str) -> String {
    format!("{SERVER}{lines}\n")
}

#[test]
fn text_that_is_not_toml() {
    check(
        "[kernel\nagent = 1",
        expect![[r#"
        1:8 ""
          unclosed table, expected `]`"#]],
    );
    check(
        "a = 1\na = 2\n",
        expect![[r#"
        2:1 "a"
          duplicate key"#]],
    );
}

#[test]
fn an_unknown_key_is_reported_with_the_nearest_known_one() {
    check(
        "[[servers]]\nid = \"a\"\ncomand = \"x\"\n",
        expect![[r#"
            3:1 "comand"
              servers[0].comand: unknown key "comand"
              help: did you mean "command"? known keys here: id, command, args, env, inherit, cwd, transport, url, headers, auth, openapi, base_url, include, exclude, max_pages, commands, tools, disabled, default_policy, confinement, mgp"#]],
    );
    check(
        "[kernel.limits]\nservers = 1\n",
        expect![[r#"
        2:1 "servers"
          kernel.limits.servers: unknown key "servers"
          help: known keys here: max_servers, max_tools_per_server, max_concurrent_calls"#]],
    );
    check(
        "[Kernel]\n",
        expect![[r#"
            1:2 "Kernel"
              Kernel: unknown key "Kernel"
              help: did you mean "kernel"? known keys here: kernel, permissions, approvals, access, roles, agents, limits, audit, discovery, http, console, references, results, idempotency, store, replicas, telemetry, tool_creation, servers"#]],
    );
}

#[test]
fn a_context_budget_whose_parts_exceed_the_whole() {
    check(
        "[kernel.tool_context_budget]\nmax_tokens = 4000\n",
        expect![[r#"
        1:1 "[kernel.tool_context_budget]"
          kernel.tool_context_budget: pinned_reserve 2000, discovery_reserve 3000 and cache_limit 3000 are 8000 tokens together: expected at most max_tokens, which is 4000"#]],
    );
    check(
        "[kernel.tool_context_budget]\nmax_token = 4000\n",
        expect![[r#"
        2:1 "max_token"
          kernel.tool_context_budget.max_token: unknown key "max_token"
          help: did you mean "max_tokens"? known keys here: max_tokens, pinned_reserve, discovery_reserve, cache_limit"#]],
    );
    check(
        "[kernel.tool_context_budget]\nmax_tokens = 100000001\n",
        expect![[r#"
        2:14 "100000001"
          kernel.tool_context_budget.max_tokens: 100000001 is out of bounds: expected 0 to 100000000"#]],
    );
}

#[test]
fn invalid_categories() {
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"x\"\n[servers.mgp]\ncategories = [\"work/reports\", \"a//b\"]\n",
        expect![[r#"
            5:31 "\"a//b\""
              servers[0].mgp.categories[1]: "a//b" is not a category: expected 1 to 4 levels such as "work/reports", at most 128 bytes"#]],
    );
}

#[test]
fn invalid_treatments_of_results() {
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"x\"\n[servers.mgp.results]\nsecrets = \"hide\"\n",
        expect![[r#"
            5:11 "\"hide\""
              servers[0].mgp.results.secrets: unknown value "hide"
              help: known values here: off, warn, mask"#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"x\"\n[servers.mgp.results]\nsecret = \"mask\"\n",
        expect![[r#"
            5:1 "secret"
              servers[0].mgp.results.secret: unknown key "secret"
              help: did you mean "secrets"? known keys here: secrets"#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"x\"\n[servers.mgp]\nresults = \"mask\"\n",
        expect![[r#"
        5:11 "\"mask\""
          servers[0].mgp.results: invalid type: string "mask", expected a table"#]],
    );
}

#[test]
fn values_of_another_type() {
    check(
        "[kernel]\ncall_timeout_ms = \"1s\"\n",
        expect![[r#"
        2:19 "\"1s\""
          kernel.call_timeout_ms: invalid type: string "1s", expected a whole number, not negative
          help: write only the number, without quotes or unit"#]],
    );
    check(
        "[kernel]\nexposure = \"hybird\"\n",
        expect![[r#"
        2:12 "\"hybird\""
          kernel.exposure: unknown value "hybird"
          help: did you mean "hybrid"? known values here: full, hybrid, category, discovery"#]],
    );
    check(
        "[permissions]\npolicy = \"yolo\"\n",
        expect![[r#"
        2:10 "\"yolo\""
          permissions.policy: unknown permission policy "yolo": expected one of interactive, auto_approve, deny_all, config_only"#]],
    );
    check(
        &server_with("args = [\"a\", 7]"),
        expect![[r#"
        4:14 "7"
          servers[0].args[1]: invalid type: integer, expected a string
          help: write it in quotes"#]],
    );
    check(
        "[http]\nlisten = \"localhost\"\n",
        expect![[r#"
        2:10 "\"localhost\""
          http.listen: "localhost" is not an address: expected an IP address and a port, such as 127.0.0.1:7433"#]],
    );
    check(
        "[[servers]]\ncommand = \"x\"\n",
        expect![[r#"
        1:1 "[[servers]]"
          servers[0]: missing field `id`"#]],
    );
}

#[test]
fn a_value_that_may_be_a_secret_is_not_repeated() {
    check(
        &server_with("auth = \"s3cret\""),
        expect![[r#"
        4:8 "\"s3cret\""
          servers[0].auth: invalid type: string, expected a table"#]],
    );
    check(
        &server_with("env = \"s3cret\""),
        expect![[r#"
        4:7 "\"s3cret\""
          servers[0].env: invalid type: string, expected a table"#]],
    );
    check(
        &server_with("headers = { a = { b = \"s3cret\" } }"),
        expect![[r#"
        4:17 "{ b = \"s3cret\" }"
          servers[0].headers.a: invalid type: map, expected a string"#]],
    );
}

#[test]
fn values_out_of_bounds() {
    check(
        "[kernel]\ncall_timeout_ms = 0\ncall_max_ms = 86400001\nsearch_results = 51\n",
        expect![[r#"
        2:19 "0"
          kernel.call_timeout_ms: 0 is out of bounds: expected 1 to 86400000
        3:15 "86400001"
          kernel.call_max_ms: 86400001 is out of bounds: expected 0 to 86400000
        4:18 "51"
          kernel.search_results: 51 is out of bounds: expected 1 to 50"#]],
    );
    check(
        &server_with("[servers.mgp]\nbackoff_base_ms = 10\nbackoff_max_ms = 5\nmax_restarts = 1001"),
        expect![[r#"
        6:18 "5"
          servers[0].mgp.backoff_max_ms: 5 is less than backoff_base_ms, which is 10
        7:16 "1001"
          servers[0].mgp.max_restarts: 1001 is out of bounds: expected 0 to 1000"#]],
    );
    check(
        &server_with("[servers.mgp]\nhealth_pause_ms = 0"),
        expect![[r#"
        5:19 "0"
          servers[0].mgp.health_pause_ms: 0 is out of bounds: expected 1 to 86400000"#]],
    );
    check(
        &server_with("[servers.mgp]\nhealth_pause_ms = 86400001"),
        expect![[r#"
        5:19 "86400001"
          servers[0].mgp.health_pause_ms: 86400001 is out of bounds: expected 1 to 86400000"#]],
    );
    check(
        "[kernel]\nagent = \" a\"\npinned = [\"x\", \"x\"]\n",
        expect![[r#"
        2:9 "\" a\""
          kernel.agent: " a" is not a name: expected no control characters and no spaces around it
        3:16 "\"x\""
          kernel.pinned[1]: tool "x" is also entry 0: expected each once"#]],
    );
}

#[test]
fn invalid_server_ids() {
    check(
        "[[servers]]\nid = \"a__b\"\ncommand = \"x\"\n",
        expect![[r#"
        2:6 "\"a__b\""
          servers[0].id: "a__b" is not a server id: expected no "__" and no '_' at the end, because calls name a tool as server__tool"#]],
    );
    check(
        &format!("{SERVER}{SERVER}"),
        expect![[r#"
        5:6 "\"a\""
          servers[1].id: a server "a" is already defined above: expected each id once"#]],
    );
    check(
        "[kernel.limits]\nmax_servers = 1\n[[servers]]\nid = \"a\"\ncommand = \"x\"\n[[servers]]\nid = \"b\"\ncommand = \"x\"\n",
        expect![[r#"
        3:1 "[[servers]]"
          servers: 2 servers: expected at most 1 (kernel.limits.max_servers)"#]],
    );
}

#[test]
fn unreachable_servers() {
    check(
        "[[servers]]\nid = \"a\"\n",
        expect![[r#"
        1:1 "[[servers]]"
          servers[0].command: missing: expected the program to start
          help: add command = "...", or url = "..." for a server over HTTP"#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ntransport = \"http\"\ncommand = \"x\"\n",
        expect![[r#"
        1:1 "[[servers]]"
          servers[0].url: missing: expected the server's address
        4:11 "\"x\""
          servers[0].command: has no meaning with transport = "http""#]],
    );
    check(
        "[[servers]]\nid = \"a\"\nurl = \"ftp://x\"\n",
        expect![[r#"
        3:7 "\"ftp://x\""
          servers[0].url: a URL of scheme "ftp": expected http or https
          help: begin it with http:// or https://, as in "http://localhost:3000/mcp""#]],
    );
    check(
        "[[servers]]\nid = \"a\"\nurl = \"https://me:pass@x/\"\n",
        expect![[r#"
        3:7 "\"https://me:pass@x/\""
          servers[0].url: holds a user name or password
          help: use the auth table instead"#]],
    );
    check(
        "[telemetry]\ntraces = \"https://me:pass@x/\"\n",
        expect![[r#"
        2:10 "\"https://me:pass@x/\""
          telemetry.traces: holds a user name or password
          help: use telemetry.traces_authorization instead"#]],
    );
    check(
        "[[servers]]\nid = \"a\"\nurl = \"https://x/\"\nauth = { bearer = \"a\\nb\", api_key = \"k\" }\nheaders = { Host = \"x\" }\n",
        expect![[r#"
            4:8 "{ bearer = \"a\\nb\", api_key = \"k\" }"
              servers[0].auth: has both bearer and api_key: expected one of them
            5:20 "\"x\""
              servers[0].headers.Host: the header "Host" is set by the transport"#]],
    );
}

#[test]
fn impossible_ways_to_a_token() {
    let server = |oauth: &str| format!("[[servers]]\nid = \"a\"\nurl = \"https://x/\"\n{oauth}\n");
    check(
        &server("auth = { oauth = {}, bearer = \"t\" }"),
        expect![[r#"
            4:8 "{ oauth = {}, bearer = \"t\" }"
              servers[0].auth: has oauth together with bearer, basic, api_key or header: expected one way"#]],
    );
    check(
        &server("auth.oauth = { client_id = \"me\", client_secret = \"s3cret\" }"),
        expect![[r#"
        4:50 "\"s3cret\""
          servers[0].auth.oauth.client_secret: needs client_id and issuer"#]],
    );
    check(
        &server("auth.oauth = { grant = \"client_credentials\" }"),
        expect![[r#"
        4:24 "\"client_credentials\""
          servers[0].auth.oauth.grant: is client_credentials: needs client_id"#]],
    );
    check(
        &server("auth.oauth = { client_metadata = \"http://x/me\" }"),
        expect![[r#"
        4:34 "\"http://x/me\""
          servers[0].auth.oauth.client_metadata: expected an https address, found "http://x/me""#]],
    );
    check(
        &server("auth.oauth = { grant = \"password\" }"),
        expect![[r#"
        4:24 "\"password\""
          servers[0].auth.oauth.grant: unknown value "password"
          help: known values here: user, client_credentials"#]],
    );
}

#[test]
fn invalid_variables_and_unset_kernel_variables() {
    check(
        &server_with("env = { A = \"${\" }\n[kernel]\nstate_dir = \"${UNSET}/state\""),
        expect![[r#"
        4:13 "\"${\""
          servers[0].env.A: "${" is not a variable: expected ${NAME} or ${NAME:-default}
          help: write $${ for the text ${ itself
        6:13 "\"${UNSET}/state\""
          kernel.state_dir: the environment variable UNSET is not set
          help: set UNSET, give it a default with ${UNSET:-value}, or write $${UNSET} for the text itself"#]],
    );
}

#[test]
fn a_forbidden_key_is_a_mistake_whatever_its_variables_hold() {
    check(
        "[[servers]]\nid = \"a\"\nurl = \"http://x\"\ncommand = \"${UNSET}\"\nheaders = { Host = \"${UNSET}\" }\n",
        expect![[r#"
            4:11 "\"${UNSET}\""
              servers[0].command: has no meaning with transport = "http"
            5:20 "\"${UNSET}\""
              servers[0].headers.Host: the header "Host" is set by the transport"#]],
    );
}

#[test]
fn invalid_names_of_variables() {
    check(
        &server_with("inherit = [\"A_*\", \"*\", \"A=B\", \"${A}\", \"A_*\"]"),
        expect![[r#"
            4:19 "\"*\""
              servers[0].inherit[1]: "*" is not a variable name or pattern: expected one such as "DOCKER_HOST", or "DOCKER_*" for all that begin so
            4:24 "\"A=B\""
              servers[0].inherit[2]: "A=B" is not a variable name or pattern: expected one such as "DOCKER_HOST", or "DOCKER_*" for all that begin so
            4:31 "\"${A}\""
              servers[0].inherit[3]: "${A}" is not a variable name or pattern: expected one such as "DOCKER_HOST", or "DOCKER_*" for all that begin so
            4:39 "\"A_*\""
              servers[0].inherit[4]: variable "A_*" is also entry 0: expected each once"#]],
    );
    check(
        "[[servers]]\nid = \"a\"\nurl = \"http://x\"\ninherit = [\"A\"]\n",
        expect![[r#"
            4:11 "[\"A\"]"
              servers[0].inherit: has no meaning with transport = "http""#]],
    );
}

#[test]
fn dangling_names() {
    check(
        &server_with(
            "[permissions.approved]\nA = [\"shell\"]\n[access]\ngrants = [{ agent = \"x\", server = \"b\" }]\n[audit]\nserver = \"c\"",
        ),
        expect![[r#"
        5:5 "[\"shell\"]"
          permissions.approved.A: no server "A": expected the id of a [[servers]] table
          help: did you mean "a"?
        7:35 "\"b\""
          access.grants[0].server: no server "b": expected the id of a [[servers]] table
          help: did you mean "a"?
        9:10 "\"c\""
          audit.server: no server "c": expected the id of a [[servers]] table
          help: did you mean "a"?"#]],
    );
    check(
        &server_with(
            "[roles.reader]\ngrants = [{ server = \"b\" }, { server = \"b*\" }, { server = \"*\", tool = \"\" }]\n[[agents]]\nid = \"x\"\nroles = [\"reader\", \"raeder\"]\n[[agents]]\nid = \"x\"",
        ),
        expect![[r#"
            5:22 "\"b\""
              roles.reader.grants[0].server: no server "b": expected the id of a [[servers]] table
              help: did you mean "a"?
            5:71 "\"\""
              roles.reader.grants[2].tool: empty: expected a name
            8:20 "\"raeder\""
              agents[0].roles[1]: no role "raeder": expected the name of a [roles] table
              help: did you mean "reader"?
            9:1 "[[agents]]"
              agents[1]: agent "x" is also entry 0: expected each once"#]],
    );
    check(
        &server_with("[servers.mgp]\npermissions_required = [\"shell.exec\"]\nvalidator = \"sandbx\""),
        expect![[r#"
        5:25 "\"shell.exec\""
          servers[0].mgp.permissions_required[0]: unknown permission "shell.exec": expected a standard permission, a family of them, or a reverse-domain name such as com.example.custom
          help: did you mean "shell.execute"?
        6:13 "\"sandbx\""
          servers[0].mgp.validator: unknown validator "sandbx": expected one of sandbox, readonly, network_restricted, code_safety, none
          help: did you mean "sandbox"?"#]],
    );
}

#[test]
fn a_project_folder_that_is_a_home_or_system_folder() {
    check(
        &server_with("[servers.mgp.sandbox]\nproject = \"/home/ann\""),
        expect![[r#"
            5:11 "\"/home/ann\""
              servers[0].mgp.sandbox.project: "/home/ann" is not a project folder: expected an absolute path without variables, below a home folder or in a folder that only holds the project, such as "/home/ann/project""#]],
    );
    for wrong in [
        "",
        "/",
        "/tmp",
        "/root",
        "/usr",
        "/etc/x",
        "/usr/src",
        "project",
        "~/project",
        "${HOME}/project",
        "/home/ann/.ssh",
        "/home/ann/a/../b",
        "/app//x",
    ] {
        let text = server_with(&format!("[servers.mgp.sandbox]\nproject = {wrong:?}"));
        let error = Config::parse(Path::new("x"), text.as_bytes(), &|_| None).expect_err("a mistake");
        let problems: Vec<_> = error.problems().iter().map(ToString::to_string).collect();
        let is_named = problems.iter().any(|problem| problem.contains("is not a project folder"));
        assert!(is_named, "{wrong}: {problems:?}");
    }
    for right in ["/home/ann/project", "/home/ann/project/", "/app", "/workspace/x", "/usr/src/app", "/srv/x"]
    {
        let text = server_with(&format!("[servers.mgp.sandbox]\nproject = {right:?}"));
        let config = Config::parse(Path::new("x"), text.as_bytes(), &|_| None).unwrap();
        assert_eq!(config.servers[0].settings().sandbox.project.as_deref(), Some(right));
    }
}

#[test]
fn open_http_without_a_key() {
    check(
        "[http]\nlisten = \"0.0.0.0:80\"\nallowed_origins = [\"example.com\"]\n",
        expect![[r#"
        2:10 "\"0.0.0.0:80\""
          http.listen: 0.0.0.0:80 can be reached from other machines and there is no API key
          help: add http.api_keys or http.oauth, or listen on 127.0.0.1
        3:20 "\"example.com\""
          http.allowed_origins[0]: "example.com" is not an origin: expected one such as "https://example.com:8443""#]],
    );
    check(
        "[http]\napi_keys = [{ id = \"a\", hash = \"secret\", agent = \"x\" }]\n",
        expect![[r#"
        2:32 "\"secret\""
          http.api_keys[0].hash: not a hash: expected the SHA-256 of the key in 64 lower-case hexadecimal digits
          help: make one with: printf %s "$KEY" | sha256sum"#]],
    );
}

#[test]
fn files_that_are_too_large_or_not_text() {
    let parse = |bytes: &[u8]| Config::parse(Path::new("mgp.toml"), bytes, &|_| None).unwrap_err();
    let large = vec![b'\n'; usize::try_from(MAX_FILE_SIZE).unwrap() + 1];
    assert_eq!(parse(&large).to_string(), "mgp.toml holds 1048577 bytes: expected at most 1048576");
    assert!(matches!(parse(b"a\xff"), ConfigError::NotText { offset: 1, .. }));
}

#[test]
fn columns_count_characters_and_not_bytes() {
    check(
        "[kernel]\nagent = \"é\"\npinned = [\"éé\", \"\"]\n",
        expect![[r#"
        3:17 "\"\""
          kernel.pinned[1]: empty: expected a name"#]],
    );
}

#[test]
fn tokens_that_never_match_or_are_ambiguous() {
    check(
        "[http]\nlisten = \"0.0.0.0:1\"\n[http.oauth]\nrequired_scopes = [\"a b\"]\nalgorithms = []\n",
        expect![[r#"
        3:1 "[http.oauth]"
          http.oauth: names no authorization server: no token could ever be accepted
          help: add http.oauth.issuers, or http.oauth.introspection
        3:1 "[http.oauth]"
          http.oauth: has no resource, and http.listen makes no URL that tokens could be meant for
          help: add resource = "https://...", the URL that hosts use
        4:19 "[\"a b\"]"
          http.oauth.required_scopes: "a b" is not a scope: expected visible ASCII without quotes and backslashes"#]],
    );
    check(
        "[http.oauth]\nalgorithms = [\"none\"]\n",
        expect![[r#"
        2:15 "\"none\""
          http.oauth.algorithms[0]: unknown value "none"
          help: known values here: RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA"#]],
    );
    check(
        "[[http.oauth.issuers]]\nissuer = \"https://a.example?x\"\n[[http.oauth.issuers]]\nissuer = \"http://b.example\"\nagent_prefix = \"b:\"\njwks_url = \"http://b.example/keys\"\n",
        expect![[r#"
            1:1 "[[http.oauth.issuers]]"
              http.oauth.issuers[0].agent_prefix: missing: two authorization servers may give one name to two agents
              help: add agent_prefix = "..." to each, or "" if their names cannot collide
            2:10 "\"https://a.example?x\""
              http.oauth.issuers[0].issuer: "https://a.example?x" is not a name: expected a URL of https or http without user name, query and fragment
            6:12 "\"http://b.example/keys\""
              http.oauth.issuers[1].jwks_url: "http://b.example/keys" cannot be used: expected a URL of https, or of http on this machine"#]],
    );
    check(
        "[http.oauth.introspection]\nissuer = \"https://a\"\nurl = \"http://10.0.0.1/\"\nclient_id = \"c\"\nclient_secret = \"${UNSET}\"\n",
        expect![[r#"
        3:7 "\"http://10.0.0.1/\""
          http.oauth.introspection.url: "http://10.0.0.1/" cannot be used: expected a URL of https, or of http on this machine
        5:17 "\"${UNSET}\""
          http.oauth.introspection.client_secret: the environment variable UNSET is not set
          help: set UNSET, give it a default with ${UNSET:-value}, or write $${UNSET} for the text itself"#]],
    );
    check(
        "[http.oauth.introspection]\nissuer = \"https://a\"\nurl = \"https://a/\"\nclient_id = \"c\"\nclient_secret = [\"s3cret\"]\n",
        expect![[r#"
        5:17 "[\"s3cret\"]"
          http.oauth.introspection.client_secret: invalid type: sequence, expected a string"#]],
    );
}

#[test]
fn apis_that_cannot_be_servers() {
    check(
        "[[servers]]\nid = \"a\"\nopenapi = \"ftp://x\"\nbase_url = \"/v1\"\nmax_pages = 0\nargs = [\"x\"]\ninclude = [{}, { path = \"users\" }]\n",
        expect![[r#"
            3:11 "\"ftp://x\""
              servers[0].openapi: a URL of scheme "ftp": expected http or https
              help: begin it with http:// or https://, as in "http://localhost:3000/mcp"
            4:12 "\"/v1\""
              servers[0].base_url: not a URL: relative URL without a base
              help: begin it with http:// or https://, as in "http://localhost:3000/mcp"
            5:13 "0"
              servers[0].max_pages: 0 is out of bounds: expected 1 to 100
            6:8 "[\"x\"]"
              servers[0].args: has no meaning with openapi
            7:12 "{}"
              servers[0].include[0]: empty: expected tag, path, method or operation
            7:25 "\"users\""
              servers[0].include[1].path: "users" matches no path: expected one such as "/users/**""#]],
    );
    check(
        "[[servers]]\nid = \"a\"\nopenapi = \"x.yaml\"\nexclude = [{ method = \"fetch\" }]\n",
        expect![[r#"
        4:23 "\"fetch\""
          servers[0].exclude[0].method: unknown value "fetch"
          help: known values here: get, put, post, delete, options, head, patch, trace"#]],
    );
    check(
        "[[servers]]\nid = \"a\"\nopenapi = \"x.yaml\"\nauth.oauth = {}\n[[servers]]\nid = \"b\"\nurl = \"http://x\"\nopenapi = \"x\"\nauth = { basic = { user = \"a:b\", password = \"c\" }, bearer = \"t\" }\n",
        expect![[r#"
            4:14 "{}"
              servers[0].auth.oauth: needs base_url, the URL of the API that tokens are for
            8:11 "\"x\""
              servers[1].openapi: has no meaning with transport = "http"
            9:8 "{ basic = { user = \"a:b\", password = \"c\" }, bearer = \"t\" }"
              servers[1].auth: has basic together with bearer, api_key or header: expected one way
            9:27 "\"a:b\""
              servers[1].auth.basic.user: holds a colon, which ends a user name"#]],
    );
}

#[test]
fn commands_that_cannot_be_tools() {
    check(
        "[[servers]]\nid = \"a\"\nurl = \"http://x\"\n[[servers.commands]]\nname = \"a\"\ndescription = \"x\"\nargv = [\"x\"]\n",
        expect![[r#"
            4:1 "[[servers.commands]]"
              servers[0].commands: has no meaning with transport = "http""#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"x\"\ntransport = \"commands\"\n[[servers.commands]]\nname = \"a b\"\ndescription = \"x\"\nargv = [\"{p}\", \"{\", \"{q}\", \"--x={n}\"]\ntimeout_ms = 0\narguments = { p = { type = \"object\" }, n = 7, z = { type = \"array\", items = { type = \"array\" } } }\n[[servers.commands]]\nname = \"a b\"\ndescription = \"x\"\nargv = []\n",
        expect![[r#"
            3:11 "\"x\""
              servers[0].command: has no meaning with commands
            6:8 "\"a b\""
              servers[0].commands[0].name: "a b" is not a name of a tool: expected 1 to 64 letters, digits, '_' and '-'
            8:9 "\"{p}\""
              servers[0].commands[0].argv[0]: the program is an argument of the call: expected its name or path
            8:16 "\"{\""
              servers[0].commands[0].argv[1]: "{" has a single brace: expected {NAME}, or {{ and }} for braces
            8:21 "\"{q}\""
              servers[0].commands[0].argv[2]: {q} is not an argument: expected a key of arguments
              help: {{ and }} stand for braces
            9:14 "0"
              servers[0].commands[0].timeout_ms: 0 is out of bounds: expected 1 to 3600000
            10:28 "\"object\""
              servers[0].commands[0].arguments.p.type: "object" is not a type of an argument: expected one of string, integer, number, boolean, array
            10:44 "7"
              servers[0].commands[0].arguments.n: expected a table, such as { type = "string", description = ".." }
            10:51 "{ type = \"array\", items = { type = \"array\" } }"
              servers[0].commands[0].arguments.z: is not used: expected {z} in argv
            10:77 "{ type = \"array\" }"
              servers[0].commands[0].arguments.z.items: expected items of a plain type, because each becomes one argument
            11:1 "[[servers.commands]]"
              servers[0].commands[1]: name "a b" is also entry 0: expected each once
            12:8 "\"a b\""
              servers[0].commands[1].name: "a b" is not a name of a tool: expected 1 to 64 letters, digits, '_' and '-'
            14:8 "[]"
              servers[0].commands[1].argv: empty: expected the program and its arguments"#]],
    );
}

#[test]
fn shapes_that_have_no_effect_or_collide() {
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"x\"\n[[servers.tools]]\nname = \"a\"\n[[servers.tools]]\nname = \"b\"\nhide = true\ntitle = \"x\"\n[[servers.tools]]\nname = \"c\"\nrename = \"a b\"\nannotations = {}\nmax_tokens = 0\n[[servers.tools]]\nname = \"d\"\nrename = \"a\"\ndefaults = { x = 1 }\narguments = { x = \"${keyring:k}\" }\n",
        expect![[r#"
            4:1 "[[servers.tools]]"
              servers[0].tools[0]: changes nothing
              help: add a change, such as rename = "..."
            8:8 "true"
              servers[0].tools[1].hide: hides the tool, so its other changes have no meaning
            12:10 "\"a b\""
              servers[0].tools[2].rename: "a b" is not a name of a tool: expected 1 to 64 letters, digits, '_', '-', '.' and '/'
            13:15 "{}"
              servers[0].tools[2].annotations: empty: expected a hint, such as read_only = true
            14:14 "0"
              servers[0].tools[2].max_tokens: 0 is out of bounds: expected 1 to 1000000
            17:10 "\"a\""
              servers[0].tools[3].rename: "a" is also the name of entry 0: expected a name of its own
            18:18 "1"
              servers[0].tools[3].defaults.x: is in arguments too: expected it once"#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"x\"\n[[servers.tools]]\nname = \"a\"\nresult = \"items[\"\nrisk = \"low\"\n",
        expect![[r#"
            6:10 "\"items[\""
              servers[0].tools[0].result: "items[" is neither a JSON pointer such as "/items" nor JMESPath: Parse error: Expected number, ':', or '*' -- found Eof (line 0, column 6)
            7:8 "\"low\""
              servers[0].tools[0].risk: unknown value "low"
              help: known values here: safe, moderate, dangerous"#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"x\"\n[[servers.tools]]\nname = \"a\"\ncache_secs = 86401\nannotations = { read_only = false }\n",
        expect![[r#"
            6:14 "86401"
              servers[0].tools[0].cache_secs: 86401 is out of bounds: expected 1 to 86400
            6:14 "86401"
              servers[0].tools[0].cache_secs: only results of tools that change nothing are repeated, and read_only is false
              help: remove the key, or annotations.read_only"#]],
    );
}
