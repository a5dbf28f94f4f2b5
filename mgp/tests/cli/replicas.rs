//! Gateways that share sessions over HTTP, behind a balancer that sends any request to any of them.

use crate::support::{User, text};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Lines, Read, Write},
    net::TcpStream,
    process::{Child, ChildStderr, Stdio},
};

/// A server of one tool, which reports progress. It then waits for a file if its argument `slow` is true, and asks the user if `ask` is true.
const SCRIPT: &str = r#"
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"work","description":"Works","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"resources/list"'*) result='{"resources":[{"uri":"note:1","name":"one"}]}' ;;
    *'"method":"tools/call"'*)
      token=${line#*\"progressToken\":}; token=${token%%[,\}]*}
      printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}\n' "$token"
      looks=0
      case $line in *'"slow":true'*) until [ -e "$0.ends" ] || [ $looks -ge 600 ]; do looks=$((looks + 1)); sleep 0.2; done ;; esac
      case $line in *'"ask":true'*)
        printf '{"jsonrpc":"2.0","id":900,"method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}\n'
        IFS= read -r reply ;; esac
      result='{"content":[{"type":"text","text":"worked in process '$PPID'"}]}' ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// The SHA-256 of "test".
const HASH: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

/// A gateway over HTTP on one machine.
pub(crate) struct Gateway {
    /// Its files, which live as long as the gateway.
    pub(crate) user: User,
    pub(crate) child: Child,
    address: String,
    /// The address for other replicas; empty without one.
    pub(crate) replicas: String,
    _stderr: Lines<BufReader<ChildStderr>>,
}

impl Gateway {
    /// Starts a replica.
    pub(crate) fn start(url: &str) -> Self {
        Self::start_with(url, "[replicas]\nlisten = \"127.0.0.1:0\"\n")
    }

    /// Starts a gateway with more tables in its configuration, the last of which may begin the table `http`.
    pub(crate) fn start_with(url: &str, tables: &str) -> Self {
        let user = User::new();
        user.write("server.sh", SCRIPT);
        let script = user.path("server.sh");
        let http = if tables.contains("[http]") { "" } else { "[http]\n" };
        let file = format!(
            "[kernel]\ndefault_policy = \"opt-out\"\nexposure = \"full\"\nstart_wait_ms = 60000\n\
             [store]\nurl = {url:?}\n{tables}\
             {http}required_servers = [\"a\"]\n[[http.api_keys]]\nid = \"k\"\nagent = \"ann\"\nhash = \"{HASH}\"\n\
             [[servers]]\nid = \"a\"\ncommand = \"sh\"\nargs = [{:?}]\n",
            script.to_str().unwrap()
        );
        user.write("mgp.toml", &file);
        let mut command = user.command(&["--trust", "serve", "--http", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut replicas = String::new();
        let address = lines.by_ref().map(Result::unwrap).find_map(|line| {
            let line = line.trim();
            if let Some(address) = line.strip_prefix("serving other replicas at ") {
                address.clone_into(&mut replicas);
            }
            Some(line.strip_prefix("serving MCP at http://")?.strip_suffix("/mcp")?.to_owned())
        });
        let address = address.expect("a gateway announces its address");
        Self { user, child, address, replicas, _stderr: lines }
    }

    /// Returns the answer to a request without a key.
    pub(crate) fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 10.1.2.3\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Begins a request in a session; without one if `session` is empty.
    fn begin(&self, method: &str, session: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let session =
            if session.is_empty() { String::new() } else { format!("Mcp-Session-Id: {session}\r\n") };
        write!(
            stream,
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer test\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n{session}\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        stream
    }

    /// Sends a request, and returns the whole response.
    fn send(&self, method: &str, session: &str, body: &str) -> String {
        let mut answer = String::new();
        self.begin(method, session, body).read_to_string(&mut answer).unwrap();
        answer
    }

    /// Opens a session.
    fn open(&self) -> String {
        let greeting = self.send("POST", "", INITIALIZE);
        let session = greeting.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        session.unwrap_or_else(|| panic!("{greeting}")).to_owned()
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.user.write("server.sh.ends", "");
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts two gateways that share a database; `None` without PostgreSQL.
fn gateways() -> Option<[Gateway; 2]> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let url = runtime.block_on(xtask_testing::postgres())?;
    Some([Gateway::start(&url), Gateway::start(&url)])
}

fn call(id: i64, arguments: &Value) -> String {
    let params = json!({ "name": "work", "arguments": arguments, "_meta": { "progressToken": id } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

pub(crate) fn has_status(answer: &str, status: u16) -> bool {
    answer.starts_with(&format!("HTTP/1.1 {status}"))
}

/// Reads lines of a response until one has a text.
#[track_caller]
fn read_until(lines: &mut impl Iterator<Item = std::io::Result<String>>, text: &str) -> String {
    let found = lines.map(Result::unwrap).find(|line| line.contains(text));
    found.unwrap_or_else(|| panic!("no line with {text:?}"))
}

#[test]
fn a_session_goes_on_through_any_gateway() {
    let Some([a, b]) = gateways() else { return };
    let session = a.open();
    assert!(has_status(&b.send("POST", &session, INITIALIZED), 202));
    let list = b.send("POST", &session, LIST);
    assert!(has_status(&list, 200) && list.contains(r#""name":"work""#), "{list}");
    let worked = b.send("POST", &session, &call(3, &json!({})));
    assert!(worked.contains("notifications/progress"), "{worked}");
    assert!(worked.contains(&format!("worked in process {}", a.child.id())), "{worked}");
    let mut stream = BufReader::new(b.begin("GET", &session, "")).lines();
    assert!(has_status(&stream.next().unwrap().unwrap(), 200));
    // The stream of the session is open at its owner, so there is no second one.
    assert!(has_status(&a.send("GET", &session, ""), 409));
    assert!(has_status(&b.send("DELETE", &session, ""), 204));
    assert!(stream.map_while(Result::ok).all(|line| !line.contains("error")), "the stream ends");
    for gateway in [&a, &b] {
        assert!(has_status(&gateway.send("POST", &session, LIST), 404));
    }
}

#[test]
fn hosts_cannot_use_the_address_for_gateways() {
    let Some([a, _b]) = gateways() else { return };
    let mut stream = TcpStream::connect(&a.replicas).unwrap();
    let _ = write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer test\r\nContent-Length: {}\r\n\r\n{INITIALIZE}",
        a.replicas,
        INITIALIZE.len()
    );
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1.1"), "{answer:?}");
}

#[test]
fn a_session_goes_on_after_its_gateway_was_killed() {
    let Some([mut a, b]) = gateways() else { return };
    let session = a.open();
    assert!(has_status(&b.send("POST", &session, INITIALIZED), 202));
    let subscribe = r#"{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"note:1"}}"#;
    assert!(has_status(&b.send("POST", &session, subscribe), 200));
    // A call runs through the other gateway when its own is killed.
    let mut running = BufReader::new(b.begin("POST", &session, &call(5, &json!({ "slow": true })))).lines();
    read_until(&mut running, "notifications/progress");
    a.kill();
    let lost = read_until(&mut running, r#""id":5"#);
    assert!(lost.contains("may have been carried out"), "{lost}");
    let worked = b.send("POST", &session, &call(6, &json!({})));
    assert!(worked.contains(&format!("worked in process {}", b.child.id())), "{worked}");
    let unsubscribe = subscribe.replace("resources/subscribe", "resources/unsubscribe");
    let ended = b.send("POST", &session, &unsubscribe);
    assert!(has_status(&ended, 200) && ended.contains("result"), "{ended}");
}

#[test]
fn a_session_moves_when_its_gateway_is_asked_to_end() {
    let Some([mut a, b]) = gateways() else { return };
    let session = a.open();
    a.send("POST", &session, INITIALIZED);
    crate::serve::end(&mut a.child);
    let list = b.send("POST", &session, LIST);
    assert!(has_status(&list, 200) && list.contains(r#""name":"work""#), "{list}");
}

/// Sends one request of the stateless era, and returns its answer.
fn post_once(gateway: &Gateway, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut stream = TcpStream::connect(&gateway.address).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer test\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
         Mcp-Name: work\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        gateway.address,
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let json = answer
        .lines()
        .filter_map(|line| line.strip_prefix("data: ").or(Some(line)))
        .rfind(|line| line.starts_with('{'));
    json.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_call_that_waits_for_its_host_continues_through_any_gateway() {
    let Some([mut a, b]) = gateways() else { return };
    let call = json!({ "name": "work", "arguments": { "ask": true } });
    let ask = || {
        let asked = post_once(&a, &call)["result"].take();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let mut again = call.clone();
        again["requestState"] = asked["requestState"].clone();
        for key in asked["inputRequests"].as_object().unwrap().keys() {
            again["inputResponses"][key] = json!({ "action": "accept", "content": { "name": "Ann" } });
        }
        again
    };
    let worked = post_once(&b, &ask());
    assert!(worked.to_string().contains(&format!("worked in process {}", a.child.id())), "{worked}");
    let again = ask();
    a.kill();
    // The state of a gateway that is gone leads nowhere.
    let lost = post_once(&b, &again);
    assert!(
        lost["error"]["message"].as_str().is_some_and(|text| text.contains("may have been carried out")),
        "{lost}"
    );
}

#[test]
fn a_gateway_is_ready_once_its_required_servers_are() {
    let Some([mut a, _b]) = gateways() else { return };
    xtask_testing::block_until_some(|| has_status(&a.get("/readyz"), 200).then_some(()));
    assert!(has_status(&a.get("/livez"), 200));
    // A call keeps the gateway alive after SIGTERM.
    let session = a.open();
    a.send("POST", &session, INITIALIZED);
    let mut running = BufReader::new(a.begin("POST", &session, &call(5, &json!({ "slow": true })))).lines();
    read_until(&mut running, "notifications/progress");
    let pid = a.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    xtask_testing::block_until_some(|| a.get("/readyz").contains("draining").then_some(()));
    a.user.write("server.sh.ends", "");
    read_until(&mut running, "worked in process");
    assert!(xtask_testing::block_until_some(|| a.child.try_wait().unwrap()).success());
}

#[test]
fn a_gateway_accepts_calls_until_its_end_is_noticed() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some(url) = runtime.block_on(xtask_testing::postgres()) else { return };
    let mut gateway = Gateway::start_with(&url, "[http]\nshutdown_delay_ms = 600000\n");
    let ask_to_end = || {
        let pid = gateway.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    };
    ask_to_end();
    xtask_testing::block_until_some(|| gateway.get("/readyz").contains("draining").then_some(()));
    assert!(has_status(&gateway.get("/health"), 200));
    let session = gateway.open();
    gateway.send("POST", &session, INITIALIZED);
    let worked = gateway.send("POST", &session, &call(5, &json!({})));
    assert!(worked.contains("worked in process"), "{worked}");
    // Nobody has to wait for the rest of the time.
    ask_to_end();
    assert!(xtask_testing::block_until_some(|| gateway.child.try_wait().unwrap()).success());
}

#[test]
fn status_shows_the_gateways_of_other_machines() {
    let Some([mut a, mut b]) = gateways() else { return };
    let status = |user: &User, more: &[&str]| user.run(&[&["--trust", "status"], more].concat());
    let shown = xtask_testing::block_until_some(|| {
        let shown = status(&a.user, &[]).succeeds();
        shown.stdout.contains(&format!("replica at {}, as reported ", b.replicas)).then_some(shown)
    });
    assert!(shown.stdout.starts_with(&format!("gateway of process {}: ", a.child.id())), "{shown:?}");
    assert!(!shown.stdout.contains(&a.replicas), "the own gateway is shown once: {shown:?}");
    let json: Value = serde_json::from_str(&status(&a.user, &["--json"]).succeeds().stdout).unwrap();
    let other = &json["replicas"][0];
    assert_eq!((&other["address"], &other["pid"]), (&json!(b.replicas), &json!(b.child.id())));
    assert_eq!(other["servers"][0]["id"], "a");
    // A machine without a gateway shows the others.
    a.kill();
    let shown = status(&a.user, &[]).succeeds();
    assert!(shown.stdout.contains(&format!("replica at {}", b.replicas)), "{shown:?}");
    crate::serve::end(&mut b.child);
    xtask_testing::block_until_some(|| {
        let shown = status(&a.user, &[]);
        (!shown.stdout.contains(&b.replicas)).then_some(())
    });
}

#[test]
fn an_address_for_gateways_needs_a_database() {
    let user = User::with_notes();
    let own = user.own_configuration();
    fs::write(&own, format!("{}\n[replicas]\nlisten = \"127.0.0.1:0\"\n", text(&own))).unwrap();
    let refused = user.run(&["serve", "--http", "127.0.0.1:0"]).fails_with(3);
    assert!(refused.stderr.contains("replicas.listen needs a database"), "{refused:?}");
}
