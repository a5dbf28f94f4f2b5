//! A server in shell whose process several kernels share, and the kernels.

use crate::{
    raw_host::{As, RawHost},
    support::{Setup, full, server_rule, start, until, until_some, within},
};
use mgp_kernel::{ChildCommand, Endpoint, Era, KernelBuilder, ServerSpec};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    lifecycle::{KernelStatus, KernelStatusParams, ReportKernel, ServerReport},
    negotiation::ExtensionSet,
};
use serde_json::{Value, json};
use std::{path::PathBuf, time::Duration};

/// A server that keeps its process's id and each line that it reads. It answers `hang` when it reads a call of `free`, and `slow` once
/// there is a file `ends`. It asks for `ask`, and about a task once there is a file `late`.
const SCRIPT: &str = r#"
echo $$ >> "$1/starts"
send() { printf '%s\n' "$1"; }
say() { send '{"jsonrpc":"2.0","id":'"$1"',"result":'"$2"'}'; }
text() { say "$1" '{"content":[{"type":"text","text":"'"$2"'"}]}'; }
tool() { printf '{"name":"%s","inputSchema":{"type":"object"}},' "$1"; }
tools=$(for name in work slow hang free ask note; do tool $name; done)
while IFS= read -r line; do
    printf '%s\n' "$line" >> "$1/read"
    id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
    token=$(printf '%s' "$line" | sed -n 's/.*"progressToken":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        say "$id" '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{},"resources":{"subscribe":true}},"serverInfo":{"name":"sh","version":"1"},"instructions":"be kind"}' ;;
    *'"method":"tools/list"'*)
        if [ -e "$1/more" ]; then more=$(tool more); else more=; fi
        list=$tools$more
        say "$id" '{"tools":['"${list%,}"']}' ;;
    *'"method":"resources/list"'*) say "$id" '{"resources":[{"uri":"file:///a","name":"a"},{"uri":"file:///b","name":"b"}]}' ;;
    *'"method":"resources/templates/list"'*) say "$id" '{"resourceTemplates":[]}' ;;
    *'"method":"resources/'*|*'"method":"logging/setLevel"'*) say "$id" '{}' ;;
    *'"name":"hang"'*)
        hangs=$id
        if [ -n "$token" ]; then
            send '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":'"$token"',"progress":1}}'
        fi ;;
    *'"name":"slow"'*)
        until [ -e "$1/ends" ] || [ ! -e "$1" ]; do sleep 0.05; done
        text "$id" "slow in $$" ;;
    *'"name":"free"'*) text "$hangs" "freed in $$"; text "$id" freeing ;;
    *'"name":"ask"'*)
        asks=$id
        send '{"jsonrpc":"2.0","id":"asked","method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{}}}}' ;;
    *'"id":"late"'*) ;;
    *'"id":"asked"'*) text "$asks" "$(printf '%s' "$line" | tr -d '"\\')" ;;
    *'"name":"note"'*)
        send '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"of the call"}}'
        text "$id" noted
        if [ -e "$1/after" ]; then
            send '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"after the call"}}'
        fi ;;
    *'"method":"tools/call"'*) text "$id" "process $$" ;;
    *'"method":"notifications/roots/list_changed"'*|*'"id":"roots"'*) ;;
    *'"method":"ping"'*)
        if [ -e "$1/roots" ]; then
            rm "$1/roots"
            send '{"jsonrpc":"2.0","id":"roots","method":"roots/list"}'
        fi
        if [ -e "$1/late" ]; then
            rm "$1/late"
            send '{"jsonrpc":"2.0","id":"late","method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{}},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}}'
        fi
        if [ -e "$1/change" ]; then
            rm "$1/change"
            send '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
            send '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}}'
        fi
        say "$id" '{}' ;;
    *) if [ -n "$id" ]; then
        send '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"no such method"}}'
    fi ;;
    esac
done
"#;

/// The folder of the kernels' state, and of the server's script and notes.
pub(super) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("server.sh"), SCRIPT).unwrap();
        Self { folder }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn command(&self) -> ChildCommand {
        let arguments = [self.path("server.sh"), self.folder.path().to_owned()];
        ChildCommand::new("srv", "sh").args(arguments.map(|path| path.to_str().unwrap().to_owned()))
    }

    /// Returns the spec of the server, which everybody may use and kernels share.
    pub(super) fn spec(&self) -> ServerSpec {
        self.spec_of(self.command())
    }

    pub(super) fn spec_of(&self, command: ChildCommand) -> ServerSpec {
        let mut spec = ServerSpec::new("srv", Endpoint::Child(command));
        spec.default_policy = DefaultPolicy::OptOut;
        spec.shared = true;
        // The server announces changes when it is asked how it is.
        spec.health_pause = Duration::from_millis(50);
        spec.restart.backoff_base_ms = 10;
        // Calls that run when a kernel goes have time to end.
        spec.shutdown_timeout = Duration::from_secs(60);
        spec
    }

    /// Starts a kernel in front of the server.
    pub(super) async fn kernel(&self) -> Setup {
        self.kernel_with(self.spec(), |kernel| kernel).await
    }

    pub(super) async fn kernel_with(
        &self,
        spec: ServerSpec,
        build: impl FnOnce(KernelBuilder) -> KernelBuilder,
    ) -> Setup {
        let state = self.path("s");
        let setup = start(|kernel, _| build(kernel.state_folder(state).config(full).server(spec))).await;
        // Resources and roots need a rule for the server.
        setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
        setup
    }

    /// Returns the processes of the server that were ever started.
    pub(super) fn starts(&self) -> Vec<String> {
        lines(&self.path("starts"))
    }

    /// Returns the number of lines that the server has read and that hold a text.
    pub(super) fn count(&self, text: &str) -> usize {
        lines(&self.path("read")).iter().filter(|line| line.contains(text)).count()
    }

    /// Waits until the server has read a text so often.
    pub(super) async fn has_read(&self, text: &str, count: usize) {
        until(|| self.count(text) >= count).await;
    }

    /// Makes a file that the server looks for.
    pub(super) fn touch(&self, name: &str) {
        std::fs::write(self.path(name), "").unwrap();
    }
}

fn lines(path: &PathBuf) -> Vec<String> {
    std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

pub(super) async fn host(setup: &Setup) -> RawHost {
    setup.raw_host(As::plain(Era::Initialize)).await
}

/// Returns the report of a kernel to its operator.
pub(super) async fn status(setup: &Setup) -> KernelStatus {
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let params = KernelStatusParams { checks: false, tools: false };
    within(operator.request::<ReportKernel>(&params)).await.unwrap()
}

/// Returns the server as the kernel reports it to its operator.
pub(super) async fn report(setup: &Setup) -> ServerReport {
    status(setup).await.servers.remove(0)
}

/// Waits until the report of a kernel's server is as a test wants it.
pub(super) async fn reports(setup: &Setup, so: impl Fn(&ServerReport) -> bool) -> ServerReport {
    until_some(async || {
        let report = report(setup).await;
        so(&report).then_some(report)
    })
    .await
}

/// Calls a tool without arguments.
pub(super) fn call(tool: &str) -> Value {
    json!({"name": tool, "arguments": {}})
}
