//! Tables of arguments: the attacks that a validator must refuse, and the everyday texts that it must pass.

use super::tests::{calling, validated};
use crate::profile::{ConfiguredTool, ToolFacts, ToolProfile, assess};
use mgp_types::{
    context::{RiskLevel, TrustLevel},
    json::RawJson,
    mcp::{Tool, ToolAnnotations},
    tool_security::SecurityMetadata,
};

/// Returns the profile of a tool for which its server declares a validator.
fn profile(name: &str, properties: &str, validator: &str) -> ToolProfile {
    let schema = RawJson::parse(format!(r#"{{"type":"object","properties":{properties}}}"#)).unwrap();
    let tool = Tool {
        annotations: Some(ToolAnnotations { read_only_hint: Some(true), ..Default::default() }),
        security: Some(SecurityMetadata {
            validator: Some(validator.into()),
            ..SecurityMetadata::new(RiskLevel::Safe)
        }),
        ..Tool::new(name, schema)
    };
    assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &ConfiguredTool::default()))
}

fn shell() -> ToolProfile {
    profile("execute_command", r#"{"command":{"type":"string"}}"#, "sandbox")
}

fn notes() -> ToolProfile {
    profile("add_note", r#"{"text":{"type":"string"},"path":{"type":"string"}}"#, "sandbox")
}

fn reader() -> ToolProfile {
    profile("look_up", r#"{"text":{"type":"string"}}"#, "readonly")
}

fn fetcher() -> ToolProfile {
    profile("fetch", r#"{"url":{"type":"string"}}"#, "network_restricted")
}

/// A tool, and the arguments that it is called with.
type Row<'a> = (fn() -> ToolProfile, &'a str);

/// Checks that every call of a table passes, or that every one is refused, and lists all exceptions.
async fn check(passes: bool, rows: &[Row<'_>]) {
    let mut wrong = Vec::new();
    for (tool, arguments) in rows {
        let (reply, reached) = validated(calling(arguments, tool())).await;
        if (reached == 1) != passes {
            wrong.push(format!("{arguments}: {}", reply.result().unwrap().as_str()));
        }
    }
    let judged = if passes { "refused" } else { "passed" };
    assert!(wrong.is_empty(), "{judged}:\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn everyday_arguments_pass() {
    check(
        true,
        &[
            // A tool without commands.
            (notes, r#"{"text":"doesn't"}"#),
            (notes, r#"{"text":"Format the code"}"#),
            (notes, r#"{"text":"Fish & chips; <b>twice</b> | 5$"}"#),
            (notes, r#"{"path":"/home/O'Brien/R&D.txt","source":"mail"}"#),
            (notes, r#"{"text":"npm run build && npm test"}"#),
            // A tool with commands.
            (shell, r#"{"command":"npm run build && npm test"}"#),
            (shell, r#"{"command":"cd src && cargo test && git status"}"#),
            (shell, r#"{"command":"ls","source":"main.rs","rm":true,"timeout":5,"env":{"A_B":"1"}}"#),
            (shell, r#"{"command":"ls","mode":"auto","version":"10.0.19045.1"}"#),
            (shell, r#"{"command":"echo 'a && rm -rf x'"}"#),
            (reader, r#"{"text":"doesn't"}"#),
            (reader, r#"{"text":"Format the code"}"#),
            (reader, r#"{"command":"git status && git diff | head"}"#),
            (reader, r#"{"mode":"auto"}"#),
            (reader, r#"{"mode":"all","view_mode":"expert","open_mode":"rb"}"#),
            (reader, r#"{"version":"10.0.19045.1"}"#),
            (reader, r#"{"query":{"update":2020,"delete":false}}"#),
            (reader, r#"{"sql":"-- Update the totals\nSELECT 1 /* drop table x */"}"#),
            (reader, r#"{"sql":"SELECT '--' AS dashes, '/*' AS opening, \"it's\" FROM t"}"#),
            (reader, r#"{"sql":"SELECT 'it''s -- here' FROM t -- and 'there'"}"#),
            (reader, r#"{"sql":"SELECT a[1], [b] FROM t -- the first"}"#),
            (fetcher, r#"{"text":"doesn't"}"#),
            (fetcher, r#"{"text":"Format the code"}"#),
            (fetcher, r#"{"text":"npm run build && npm test"}"#),
            (fetcher, r#"{"mode":"auto","scope":"local","kind":"internal","metadata":{"local":true}}"#),
            (fetcher, r#"{"version":"10.0.19045.1"}"#),
            (fetcher, r#"{"text":"Windows 10.0.19045.1, or later"}"#),
            (
                fetcher,
                r#"{"port":8080,"host_port":8080,"server_id":"5","id":"2130706433","count":2130706433}"#,
            ),
            (
                fetcher,
                r#"{"host":"example.com","hosts":["example.com","1.1.1.1"],"urls":["https://a.example"]}"#,
            ),
            (fetcher, r#"{"hosts":"example.com, example.org:443 1.1.1.1"}"#),
            (fetcher, r#"{"dsn":"host=db.example.com port=5432 user=local"}"#),
            (fetcher, r#"{"address":"12 Main St, 5 Side Rd","link":"the local government, at 10:30"}"#),
            (fetcher, r#"{"url":"https://example.com/@local?site=3&a=127.1#x@y"}"#),
            (fetcher, r#"{"text":"a.txt, b.txt and 127 more, 10.5 degrees"}"#),
            (fetcher, r#"{"headers":{"Accept":"text/html","X-Local":"1"},"sizes":{"1.5":2}}"#),
        ],
    )
    .await;
}

#[tokio::test]
async fn commands_hidden_behind_others_or_in_names_are_refused() {
    check(
        false,
        &[
            (shell, r#"{"command":"npm run build && rm -rf /"}"#),
            (shell, r#"{"command":"ls && sudo ls"}"#),
            (shell, r#"{"command":"ls&&bash"}"#),
            (shell, r#"{"command":"a & b"}"#),
            (shell, r#"{"command":"a &&& b"}"#),
            (shell, r#"{"command":"a && & b"}"#),
            (shell, r#"{"command":"&& ls"}"#),
            (shell, r#"{"command":"ls &&"}"#),
            (shell, r#"{"command":"doesn't"}"#),
            (shell, r#"{"command":"format c:"}"#),
            (shell, r#"{"command":"ls","env":{"$(reboot)":"1"}}"#),
            (shell, r#"{"command":"ls","x":[{"; rm -rf /":1}]}"#),
            (shell, r#"{"command":"ls","rm -rf /":true}"#),
            (shell, r#"{"command":"ls","rm":"-rf /"}"#),
            (shell, r#"{"command":"ls","python":["-c","import os"]}"#),
            (shell, r#"{"program":"rm","args":["-rf","x"]}"#),
        ],
    )
    .await;
}

#[tokio::test]
async fn writes_hidden_in_comments_literals_and_names_are_refused() {
    check(
        false,
        &[
            (reader, r#"{"sql":"SELECT '--'; DROP TABLE users"}"#),
            (reader, r#"{"sql":"SELECT '/*'; DELETE FROM t; --*/"}"#),
            (reader, r#"{"sql":"SELECT \"--\"; vacuum"}"#),
            (reader, r#"{"sql":"SELECT `--`; vacuum"}"#),
            (reader, r#"{"sql":"SELECT [--]; vacuum"}"#),
            (reader, r#"{"sql":"SELECT 1 /*! ; vacuum */"}"#),
            (reader, r#"{"sql":"/*!50000 vacuum */"}"#),
            (reader, r#"{"sql":"SELECT '\\' -- '; vacuum"}"#),
            (reader, r#"{"sql":"SELECT 1 # '\n; vacuum -- '"}"#),
            (reader, r#"{"sql":"SELECT $$'$$; vacuum --'"}"#),
            (reader, r#"{"sql":"SELECT 5--'\n; vacuum -- '"}"#),
            (reader, r#"{"sql":"/* /* */ vacuum; -- */"}"#),
            (reader, r#"{"sql":"SELECT 'open; vacuum"}"#),
            (reader, r#"{"x":{"drop table t":[]}}"#),
            (reader, r#"{"sql":{"delete from t":[]}}"#),
            (reader, r#"{"mode":"w"}"#),
            (reader, r#"{"mode":"ab+"}"#),
            (reader, r#"{"open_mode":"x"}"#),
            (reader, r#"{"mode":"rw"}"#),
            (reader, r#"{"mode":"append"}"#),
            (reader, r#"{"file_mode":"Overwrite"}"#),
        ],
    )
    .await;
}

#[tokio::test]
async fn hosts_are_found_wherever_one_can_be() {
    check(
        false,
        &[
            (fetcher, r#"{"url":"http://evil.example\\@127.0.0.1/"}"#),
            (fetcher, r#"{"url":"http://evil.example\\\\@localhost:80/"}"#),
            (fetcher, r##"{"url":"http://evil.example#@127.0.0.1/"}"##),
            (fetcher, r#"{"url":"http://evil.example?@127.1/x"}"#),
            (fetcher, r#"{"text":"see http://evil.example\\@127.0.0.1/ there"}"#),
            (fetcher, r#"{"url":"http://[4000::1]/"}"#),
            (fetcher, r#"{"url":"http://192.0.2.1/"}"#),
            (fetcher, r#"{"hosts":["2130706433"]}"#),
            (fetcher, r#"{"urls":["127.1"],"x":1}"#),
            (fetcher, r#"{"addresses":["0x7f000001"]}"#),
            (fetcher, r#"{"baseUrls":["127.1"]}"#),
            (fetcher, r#"{"proxies":["017700000001"]}"#),
            (fetcher, r#"{"hosts":"example.com,127.1"}"#),
            (fetcher, r#"{"host":"example.com localhost"}"#),
            (fetcher, r#"{"targets":"example.com;0x7f.1"}"#),
            (fetcher, r#"{"list":"example.com,localhost"}"#),
            (fetcher, r#"{"list":"example.com 10.0.0.1"}"#),
            (fetcher, r#"{"list":" localhost, "}"#),
            (fetcher, r#"{"dsn":"host=127.1 port=5432"}"#),
            (fetcher, r#"{"dsn":"dbname=x host = 'localhost'"}"#),
            (fetcher, r#"{"connection":"Server=localhost;Database=x"}"#),
            (fetcher, r#"{"args":["--host=127.1"]}"#),
            (fetcher, r#"{"header":"Host: metadata"}"#),
            (fetcher, r#"{"url":"https://proxy.example/?host=2130706433"}"#),
            (fetcher, r#"{"host":2130706433}"#),
            (fetcher, r#"{"hosts":["example.com",2130706433]}"#),
            (fetcher, r#"{"ip":0}"#),
            (fetcher, r#"{"ip":127.1}"#),
            (fetcher, r#"{"host":":8080"}"#),
            (fetcher, r#"{"host":"10.0.19045.1"}"#),
            (fetcher, r#"{"headers":{"http://127.0.0.1/":"x"}}"#),
            (fetcher, r#"{"routes":{"127.0.0.1":80}}"#),
            (fetcher, r#"{"hosts":{"127.1":80}}"#),
        ],
    )
    .await;
}
