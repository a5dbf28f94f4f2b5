//! Transactions over three servers, while the gateway is killed.

use crate::support::{Host, User};
use serde_json::{Value, json};
use std::{
    fs,
    sync::atomic::{AtomicI64, Ordering},
};
use xtask_testing::block_until_some;

/// A server that writes down each call of its tools before it answers, and answers when there is no file that holds the tool up.
const SCRIPT: &str = r#"
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*)
      result='{"tools":[{"name":"make","description":"Makes","inputSchema":{"type":"object"}},{"name":"remove","description":"Removes","inputSchema":{"type":"object"},"annotations":{"destructiveHint":false}}]}' ;;
    *'"method":"tools/call"'*)
      tool=${line#*\"name\":\"}; tool=${tool%%\"*}
      echo "$tool" >> "$1.calls"
      while [ -e "$1.hold-$tool" ]; do sleep 0.02; done
      result='{"content":[],"_meta":{"compensation":{"tool":"remove","arguments":{}}}}' ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

const SERVERS: [&str; 3] = ["alpha", "beta", "gamma"];

/// Returns a user with three servers.
fn user() -> User {
    let user = User::new();
    user.write("server.sh", SCRIPT);
    let path = user.own_configuration();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let script = user.path("server.sh");
    let table = |id: &str| {
        format!(
            "[[servers]]\nid = {id:?}\ncommand = \"sh\"\nargs = [{:?}, {:?}]\n\
             [servers.mgp]\nera = \"initialize\"\nconfirmation = \"never\"\n",
            script.to_str().unwrap(),
            user.path(id).to_str().unwrap()
        )
    };
    let servers = SERVERS.map(table).concat();
    fs::write(path, format!("[kernel]\ndefault_policy = \"opt-out\"\ntransactions = true\n{servers}"))
        .unwrap();
    user
}

/// Returns the calls that a server wrote down.
fn calls(user: &User, server: &str) -> Vec<String> {
    let written = fs::read_to_string(user.path(&format!("{server}.calls"))).unwrap_or_default();
    written.lines().map(str::to_owned).collect()
}

/// Returns an id that no request has had.
fn next_id() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(2);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Sends a step at a server, and returns the id of the request.
fn send_step(host: &mut Host, server: &str) -> i64 {
    let id = next_id();
    let meta = json!({"transaction_id": "tx-1", "step_id": server});
    host.send(id, "tools/call", &json!({"name": format!("{server}__make"), "arguments": {}, "_meta": meta}));
    id
}

/// Makes a step at each server.
fn steps(host: &mut Host, servers: &[&str]) {
    for server in servers {
        let id = send_step(host, server);
        let answer = host.reply(id);
        assert_eq!(answer["result"]["_meta"]["step_id"], *server, "{answer}");
    }
}

/// Sends a request about the transaction, and returns its id.
fn send(host: &mut Host, action: &str) -> i64 {
    let id = next_id();
    let arguments = json!({"action": action, "transaction_id": "tx-1"});
    host.send(id, "tools/call", &json!({"name": "mgp_transaction", "arguments": arguments}));
    id
}

/// Returns the report about the transaction after an action.
fn report(host: &mut Host, action: &str) -> Value {
    let id = send(host, action);
    let answer = host.reply(id);
    let report = answer["result"]["structuredContent"].clone();
    assert!(report.is_object(), "{answer}");
    report
}

/// Returns the states of a transaction and of its steps.
fn line(report: &Value) -> String {
    let step =
        |step: &Value| format!("{} {}", step["step_id"].as_str().unwrap(), step["status"].as_str().unwrap());
    let steps: Vec<_> = report["steps"].as_array().unwrap().iter().map(step).collect();
    format!("{}: {}", report["status"].as_str().unwrap(), steps.join(", "))
}

fn killed(host: Host) {
    host.signal("-KILL");
    host.end();
}

#[test]
fn a_step_that_ran_at_a_kill_is_unknown_and_others_are_undone() {
    let user = user();
    user.write("gamma.hold-make", "");
    let mut host = user.serve(&[]);
    report(&mut host, "begin");
    steps(&mut host, &["alpha", "beta"]);
    send_step(&mut host, "gamma");
    block_until_some(|| (calls(&user, "gamma") == ["make"]).then_some(()));
    killed(host);
    fs::remove_file(user.path("gamma.hold-make")).unwrap();
    let mut host = user.serve(&[]);
    let status = report(&mut host, "status");
    assert_eq!(line(&status), "active: alpha ok, beta ok, gamma unknown", "{status}");
    assert_eq!(status["steps"][2]["error"]["message"], "its gateway ended while it ran", "{status}");
    let rolled = report(&mut host, "rollback");
    assert_eq!(line(&rolled), "partially_rolled_back: alpha compensated, beta compensated, gamma unknown");
    for (server, expected) in
        [("alpha", &["make", "remove"][..]), ("beta", &["make", "remove"]), ("gamma", &["make"])]
    {
        assert_eq!(calls(&user, server), expected, "{server}");
    }
    // The operator learns of it without its caller, also when no gateway runs any more.
    let status = block_until_some(|| Some(user.run(&["status"])).filter(|ended| ended.code == 0));
    let sentence = "1 transaction was rolled back in part: see `mgp transactions`";
    assert!(status.stderr.contains(sentence), "{status:?}");
    killed(host);
    let listed = user.run(&["transactions"]).succeeds().stdout;
    let row = listed.lines().find(|line| line.starts_with("tx-1 ")).unwrap_or_else(|| panic!("{listed}"));
    assert!(row.contains("partially_rolled_back") && row.contains("known to be: gamma"), "{listed}");
    let shown = user.run(&["transactions", "tx-1"]).succeeds().stdout;
    assert!(shown.contains("its gateway ended while it ran") && shown.contains("remove {}"), "{shown}");
    let (_, document) = user.json(&["transactions", "tx-1"]);
    let transaction = &document["transactions"][0];
    assert_eq!(transaction["agent"], "local", "{document}");
    assert_eq!(line(transaction), line(&rolled));
}

#[test]
fn a_transaction_continues_after_a_kill_between_two_steps() {
    let user = user();
    let mut host = user.serve(&[]);
    report(&mut host, "begin");
    steps(&mut host, &["alpha", "beta"]);
    killed(host);
    let mut host = user.serve(&[]);
    let status = report(&mut host, "status");
    assert_eq!(line(&status), "active: alpha ok, beta ok", "{status}");
    steps(&mut host, &["gamma"]);
    let rolled = report(&mut host, "rollback");
    assert_eq!(line(&rolled), "rolled_back: alpha compensated, beta compensated, gamma compensated");
    for server in SERVERS {
        assert_eq!(calls(&user, server), ["make", "remove"], "{server}");
    }
    // Nobody is needed.
    assert_eq!(user.json(&["transactions"]).1, json!({"transactions": []}));
    assert_eq!(user.json(&["transactions", "--all"]).1["transactions"][0]["status"], "rolled_back");
    let (_, status) = block_until_some(|| Some(user.json(&["status"])).filter(|(code, _)| *code == 0));
    assert_eq!(status["transactions_rolled_back_in_part"], 0, "{status}");
}

#[test]
fn a_rollback_continues_after_a_kill_and_names_the_running_call() {
    let user = user();
    user.write("beta.hold-remove", "");
    let mut host = user.serve(&[]);
    report(&mut host, "begin");
    steps(&mut host, &SERVERS);
    send(&mut host, "rollback");
    block_until_some(|| (calls(&user, "beta") == ["make", "remove"]).then_some(()));
    killed(host);
    fs::remove_file(user.path("beta.hold-remove")).unwrap();
    let mut host = user.serve(&[]);
    let over = block_until_some(|| {
        Some(report(&mut host, "status")).filter(|report| report["status"] != "rolling_back")
    });
    assert_eq!(
        line(&over),
        "partially_rolled_back: alpha compensated, beta compensation_failed, gamma compensated",
        "{over}"
    );
    let error = over["steps"][1]["error"]["message"].as_str().unwrap();
    assert!(error.starts_with("it may have been undone"), "{error}");
    // Asked again, it is not sent again.
    let again = report(&mut host, "rollback");
    assert_eq!(line(&again), line(&over));
    for server in SERVERS {
        assert_eq!(calls(&user, server), ["make", "remove"], "{server}");
    }
}
