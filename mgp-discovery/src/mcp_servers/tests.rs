//! Tests of the conversion of other hosts' files.

use super::{Host, HostContext, ImportResult, import};
use crate::config::{ServerConfig, ServerMgp, Text};

const FOLDER: &str = "/home/u/project";

fn context(host: Option<Host>) -> HostContext {
    HostContext { host, folder: Some(FOLDER.into()), ..HostContext::default() }
}

fn imported(file: &str, context: &HostContext) -> ImportResult {
    let imported = import(file.as_bytes(), context).unwrap();
    assert!(imported.skipped.is_empty(), "{:?}", imported.skipped);
    imported
}

/// Returns the command line and the variables of a server, as they would be written.
fn line(server: &ServerConfig) -> Vec<String> {
    let command = server.command.iter().chain(&server.args).map(|text| text.written().to_owned());
    let env = server.env.iter().map(|(name, value)| format!("{name}={}", value.written()));
    command.chain(env).collect()
}

#[test]
fn values_that_an_editor_prompts_for_become_variables() {
    let file = r#"{
        "inputs": [
            {"type": "promptString", "id": "api-key", "description": "Key of Example", "password": true},
            {"type": "pickString", "id": "region", "description": "", "options": ["eu"], "default": "eu"},
            {"id": 7}
        ],
        "servers": {"a": {
            "command": "x", "args": ["${input:api-key}", "--region=${input:region}", "${input:other}"],
            "env": {"KEY": "${input:api-key}"}
        }}
    }"#;
    let ImportResult { servers, remarks, .. } = imported(file, &HostContext::default());
    assert_eq!(
        line(&servers[0]),
        ["x", "${API_KEY}", "--region=${REGION:-eu}", "${OTHER}", "KEY=${API_KEY}"]
    );
    assert_eq!(
        remarks,
        [
            r#""a": set API_KEY (secret), which the host asks for: Key of Example"#,
            r#""a": set REGION, which the host asks for"#,
            r#""a": set OTHER, which the host asks for"#,
        ]
    );
}

#[cfg(not(windows))]
#[test]
fn the_host_s_folder_variables_are_filled_in() {
    let file = r#"{"mcpServers": {"a": {
        "command": "${userHome}/bin/x",
        "args": ["${workspaceFolder}/src", "${workspaceFolderBasename}", "a${pathSeparator}b${/}c", "${CLAUDE_PROJECT_DIR:-.}", "$HOME", "$5"],
        "env": {"TOKEN": "${env:TOKEN}", "LEVEL": "${LEVEL:-info}"}
    }}}"#;
    let ImportResult { servers, remarks, .. } = imported(file, &context(None));
    let expected = [
        "${HOME}/bin/x",
        "/home/u/project/src",
        "project",
        "a/b/c",
        "/home/u/project",
        "$HOME",
        "$5",
        "LEVEL=${LEVEL:-info}",
        "TOKEN=${TOKEN}",
    ];
    assert_eq!(line(&servers[0]), expected);
    assert_eq!(
        remarks,
        [
            r#""a": ${workspaceFolder} is /home/u/project here"#,
            r#""a": ${CLAUDE_PROJECT_DIR} is /home/u/project here"#,
        ]
    );
    // Without a folder, nothing is guessed.
    let skipped = import(file.as_bytes(), &HostContext::default()).unwrap().skipped;
    assert!(skipped[0].reason.contains("${workspaceFolder}"), "{skipped:?}");
}

#[test]
fn a_variable_without_braces_counts_if_the_host_reads_it() {
    let file = r#"{"mcpServers": {"a": {"command": "x", "env": {"A": "$TOKEN", "B": "a-$B_2-$5$"}}}}"#;
    let of = |host| line(&imported(file, &context(host)).servers[0]);
    assert_eq!(of(Some(Host::GeminiCli)), ["x", "A=${TOKEN}", "B=a-${B_2}-$5$"]);
    assert_eq!(of(Some(Host::Cursor)), ["x", "A=$TOKEN", "B=a-$B_2-$5$"]);
}

#[cfg(not(windows))]
#[test]
fn no_value_of_a_host_becomes_a_secret_or_runs_a_command() {
    for value in [
        "${command:touch x}",
        "${keyring:github}",
        "${file:/home/a/.ssh/id}",
        "${A:-${command:touch x}}",
        "${A:-${B:-${keyring:github}}}",
        "${input:x}${A:-${file:/etc/x}}",
        "$${command:touch x}",
        "a ${b c ${command:touch x}}",
    ] {
        let file = serde_json::json!({ "mcpServers": {
            "bad": { "command": "x", "env": { "KEY": value } },
            "worse": { "command": "x", "args": [value] },
            "good": { "command": "x", "env": { "KEY": "${A:-${B:-c}}" } },
        } });
        let found = import(file.to_string().as_bytes(), &context(None)).unwrap();
        let ids: Vec<_> = found.servers.iter().map(|server| server.id.as_str()).collect();
        assert_eq!(ids, ["good"], "{value}");
    }
}

#[test]
fn claude_code_s_project_servers_are_those_of_the_folder() {
    let file = r#"{
        "mcpServers": {"time": {"command": "users"}, "user": {"command": "y"}},
        "projects": {
            "/home/u/project": {
                "mcpServers": {"time": {"command": "own"}, "off": {"command": "z", "cwd": "sub"}},
                "disabledMcpServers": ["off"]
            },
            "/home/u/other": {"mcpServers": {"far": {"command": "x"}}},
            "/home/u/none": {"mcpServers": {}},
            "/home/u/null": null
        }
    }"#;
    let ImportResult { servers, skipped, remarks, .. } =
        import(file.as_bytes(), &context(Some(Host::ClaudeCode))).unwrap();
    let shown: Vec<_> = servers
        .iter()
        .map(|server| {
            let cwd = server.cwd.as_ref().map_or("-", Text::written);
            format!("{} {} {cwd} {}", server.id, line(server)[0], server.disabled)
        })
        .collect();
    assert_eq!(shown, ["time own /home/u/project false", "off z /home/u/project/sub true", "user y - false"]);
    assert_eq!(skipped[0].name, "time");
    assert_eq!(
        remarks,
        ["servers of other projects were left out: run `mgp init --project` in /home/u/other"]
    );
    let elsewhere = HostContext { folder: Some("/srv".into()), ..context(Some(Host::ClaudeCode)) };
    assert_eq!(import(file.as_bytes(), &elsewhere).unwrap().servers.len(), 2);
}

#[test]
fn a_server_disabled_by_its_host_is_disabled_and_named() {
    let file = r#"{"mcpServers": {"on": {"command": "x"}, "off": {"command": "y"}}}"#;
    let context = HostContext { disabled: ["off".to_owned()].into(), ..context(Some(Host::ClaudeCode)) };
    let ImportResult { servers, remarks, .. } = imported(file, &context);
    assert_eq!(servers.iter().map(|server| server.disabled).collect::<Vec<_>>(), [false, true]);
    assert_eq!(remarks, [r#""off": the host has it switched off, so it is disabled here"#]);
}

#[test]
fn excluded_tools_and_time_limits_become_server_settings() {
    let settings = |host, members: &str| {
        let file = format!(r#"{{"mcpServers": {{"a": {{"command": "x", {members}}}}}}}"#);
        let ImportResult { servers, offered, remarks, .. } = imported(&file, &context(host));
        (servers[0].settings().into_owned(), offered.get("a").cloned(), remarks)
    };
    for key in ["disabledTools", "excludeTools", "disabled_tools"] {
        let (mgp, ..) = settings(None, &format!(r#""{key}": ["b", "a", "b", " "]"#));
        assert_eq!(mgp.disabled, ["a", "b"], "{key}");
    }
    for key in ["includeTools", "enabled_tools", "tools"] {
        let (mgp, offered, _) = settings(None, &format!(r#""{key}": ["b"]"#));
        assert_eq!((mgp, offered), (ServerMgp::default(), Some(vec!["b".to_owned()])), "{key}");
    }
    assert_eq!(settings(None, r#""tools": ["*"]"#).1, None);
    for (host, member, expected) in [
        (None, r#""timeout": 60"#, Some(60_000)),
        (None, r#""timeout": 3600"#, Some(3_600_000)),
        (None, r#""timeout": 120000"#, Some(120_000)),
        (Some(Host::GeminiCli), r#""timeout": 3000"#, Some(3_000)),
        (Some(Host::ClaudeCode), r#""timeout": 3000"#, Some(3_000)),
        (Some(Host::ClaudeCode), r#""timeout": 60"#, None),
        (Some(Host::ClaudeCode), r#""request_timeout_ms": 1009"#, Some(1_009)),
        (None, r#""tool_timeout_sec": 1.5"#, Some(1_500)),
        (None, r#""timeout": -1"#, None),
        (None, r#""timeout": 1e300"#, None),
        (None, r#""timeout": "60""#, None),
    ] {
        assert_eq!(settings(host, member).0.call_timeout_ms, expected, "{host:?} {member}");
    }
    assert_eq!(settings(None, r#""startup_timeout_sec": 20"#).0.startup_timeout_ms, Some(20_000));
    let remarks = settings(None, r#""timeout": 60, "envFile": ".env""#).2;
    assert_eq!(
        remarks,
        [
            r#""a": its timeout of 60 is call_timeout_ms = 60000"#,
            r#""a": envFile is not read: write its variables under [servers.env]"#,
        ]
    );
}

#[test]
fn other_forms_of_a_command_and_of_its_variables_are_read() {
    let file = r#"{"mcp": {
        "a": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"PORT": 8080, "ON": true, "NONE": null}, "env_vars": ["DOCKER_HOST"], "enabled": false},
        "b": {"type": "remote", "url": "https://x.example/mcp"}
    }}"#;
    let servers = imported(file, &HostContext::default()).servers;
    assert_eq!(line(&servers[0]), ["npx", "-y", "x", "ON=true", "PORT=8080"]);
    assert_eq!((servers[0].disabled, servers[1].disabled), (true, false));
    assert_eq!(servers[0].inherit, ["DOCKER_HOST"]);
    let project = HostContext { project: true, ..context(None) };
    let servers = imported(file, &project).servers;
    assert_eq!(servers[0].cwd.as_ref().map(Text::written), Some(FOLDER));
    assert_eq!(servers[1].cwd, None);
}
