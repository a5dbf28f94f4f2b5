//! The memory of a kernel that carries a text from one server to another. Alone in its process, whose memory it measures.
#![cfg(all(target_os = "linux", feature = "child"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mgp_client_sdk::client::Client;
use mgp_discovery::config::Config;
use mgp_kernel::{ChildCommand, Endpoint, Kernel, ServerSpec};
use mgp_transport::{connection, memory};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    json::{RawJson, RawObject},
    mcp::{CallTool, CallToolResult},
    reference::DataReference,
    rpc::Call,
};
use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::io::{AsyncRead, ReadBuf};

/// The length of the text.
const LENGTH: usize = 100_000_000;

/// The most memory that carrying it may take.
const MOST: u64 = 32 << 20;

/// The most bytes that the host and the kernel exchange meanwhile.
const MOST_OF_HOST: usize = 4096;

/// A stream whose bytes are counted.
struct CountingStream<R>(R, Arc<AtomicUsize>);

impl<R: AsyncRead + Unpin> AsyncRead for CountingStream<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.0).poll_read(cx, into);
        self.1.fetch_add(into.filled().len() - before, Ordering::Relaxed);
        read
    }
}

/// A server whose tool `make` writes a text of the letter `Q`, and whose tool `take` tells the SHA-256 of all such letters in the call.
/// Neither of them holds the text in memory.
const SERVER: &str = r#"
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        say '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"method":"tools/list"'*)
        say '{"tools":[{"name":"'"$1"'","inputSchema":{"type":"object"}}]}'
        if [ "$1" = take ]; then break; fi ;;
    *'"method":"tools/call"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"
        head -c "$2" /dev/zero | tr '\0' Q
        printf '"}]}}\n' ;;
    *) if [ -n "$id" ]; then say '{}'; fi ;;
    esac
done
# The next request is the call. Its id is the last number that the kernel chose, and stands at its start.
id=$(dd bs=1 count=24 2>/dev/null | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]\).*/\1/p')
hash=$(head -n 1 | tr -dc Q | sha256sum | cut -d' ' -f1)
say '{"content":[{"type":"text","text":"'"$hash"'"}]}'
cat > /dev/null
"#;

/// Returns the spec of a server. Its calls may take long, and nothing but calls is asked of it meanwhile.
fn server(name: &str) -> ServerSpec {
    let command = ChildCommand::new(name, "sh").args(["-c", SERVER, "sh", name, &LENGTH.to_string()]);
    let mut spec = ServerSpec::new(name, Endpoint::Child(command));
    spec.default_policy = DefaultPolicy::OptOut;
    spec.call_timeout = Duration::from_secs(600);
    spec.health_pause = Duration::from_secs(3600);
    spec
}

/// Returns a number of KiB in `/proc/self/status`, in bytes.
fn status(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

async fn call(client: &Client, params: &str) -> CallToolResult {
    let params: <CallTool as Call>::Params = RawJson::parse(params.to_owned()).unwrap().decode().unwrap();
    client.request::<CallTool>(&params).await.unwrap()
}

#[tokio::test]
async fn a_text_of_100_megabytes_passes_in_32_megabytes_of_memory() {
    let text = "[permissions]\npolicy = \"auto_approve\"\n";
    let config = Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap();
    let builder =
        Kernel::builder().configure(&config).unwrap().config(|config| config.agents.push("ann".into()));
    let kernel = builder.server(server("make")).server(server("take")).start().await.unwrap();
    assert_eq!(kernel.ready(Duration::from_secs(120)).await, Vec::<String>::new());
    let (here, there) = memory::pair();
    let exchanged = Arc::new(AtomicUsize::new(0));
    let [here, there] =
        [here, there].map(|(input, output)| (CountingStream(input, exchanged.clone()), output));
    let connection =
        kernel.face().serve(Principal::agent("ann"), connection::Config::default(), there.0, there.1);
    tokio::spawn(connection.closed());
    let client =
        Client::builder("host", "1").request_timeout(Duration::MAX).connect(here.0, here.1).await.unwrap();

    // What a kernel loads at its first call stays in memory.
    call(&client, r#"{"name":"mgp_tools_discover","arguments":{"query":"make"}}"#).await;
    call(&client, r#"{"name":"mgp_tools_session"}"#).await;
    // From here on, the peak of this process's memory counts.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmHWM");
    exchanged.store(0, Ordering::Relaxed);
    let made = call(&client, r#"{"name":"make","_meta":{"dev.cloto/call":{"keep_result":true}}}"#).await;
    let reference = DataReference::in_meta(&made.meta.unwrap_or_else(RawObject::new)).expect("a reference");
    assert_eq!(reference.size_bytes, Some(LENGTH as u64));
    let refs = format!(r#"{{"/data":"{}"}}"#, reference.ref_id);
    let taken =
        call(&client, &format!(r#"{{"name":"take","_meta":{{"dev.cloto/call":{{"refs":{refs}}}}}}}"#)).await;
    let taken = taken.content[0].as_text().map(str::to_owned);
    assert_eq!(taken, reference.checksum.map(|checksum| checksum.value));
    let (peak, exchanged) = (status("VmHWM") - before, exchanged.load(Ordering::Relaxed));
    println!("carrying {LENGTH} bytes took {peak} bytes of memory, and {exchanged} of the host's streams");
    assert!(exchanged < MOST_OF_HOST, "{exchanged} bytes, expected fewer than {MOST_OF_HOST}");
    assert!(peak <= MOST, "{peak} bytes, expected at most {MOST}");
}
