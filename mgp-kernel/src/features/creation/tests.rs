//! Tests of confinement: code that no check would let through runs, and reaches nothing.

use super::{
    interpreter::interpreter,
    program::{PROCESSES, Program, RunError},
};
use crate::upstream::KernelFiles;
use mgp_discovery::config::ToolCreationConfig;
use mgp_types::json::RawJson;
use std::{fs, net::TcpListener};

async fn program(code: &str, settings: &ToolCreationConfig) -> Program {
    let interpreter = interpreter("python3").await.unwrap();
    let code = (format!("def f(given=None):\n{code}"), "f".to_owned());
    Program::new("made-test", &interpreter, code, settings, &KernelFiles::default())
}

/// Runs the body of a function with an argument. Returns the text of the result, and whether the function failed.
async fn run_by(settings: &ToolCreationConfig, body: &str, given: &str) -> (String, bool) {
    let arguments = RawJson::from_value(&serde_json::json!({"given": given})).unwrap();
    let result = program(body, settings).await.call(&arguments).await;
    (result.content[0].as_text().unwrap_or_default().to_owned(), result.failed())
}

async fn run(body: &str, given: &str) -> (String, bool) {
    // A busy machine takes its time.
    let settings = ToolCreationConfig { cpu_secs: 1, timeout_ms: 60_000, ..ToolCreationConfig::default() };
    run_by(&settings, body, given).await
}

#[tokio::test]
async fn values_are_returned_unchanged_and_errors_with_their_line() {
    assert_eq!(run("    return given.upper()", "ä€").await, ("Ä€".to_owned(), false));
    assert_eq!(run("    return None", "").await, ("null".to_owned(), false));
    let failed = run("    x = 1\n    return x / 0", "").await;
    assert_eq!(failed, ("ZeroDivisionError: division by zero (line 3)".to_owned(), true));
    let (text, failed) = run("    return {1, 2}", "").await;
    assert!(failed && text.contains("not JSON serializable"), "{text}");
    let (text, failed) = run("    return float('nan')", "").await;
    assert!(failed, "{text}");
}

#[tokio::test]
async fn hostile_code_reaches_no_file_no_network_and_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "the secret").unwrap();
    let given = secret.to_str().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let connect = format!(
        "    import socket\n    return str(socket.create_connection(('127.0.0.1', {}), 2))",
        address.port()
    );
    let hostile = [
        "    return open(given).read()",
        "    open(given, 'w').write('x')\n    return 'written'",
        "    import os\n    os.remove(given)\n    return 'removed'",
        "    import os\n    return os.listdir(os.path.dirname(given))",
        "    import os\n    os.makedirs('/tmp/made-by-a-tool')\n    return 'made'",
        "    import subprocess\n    return subprocess.check_output(['id']).decode()",
        "    import os\n    os.execv('/bin/sh', ['sh', '-c', 'echo out'])",
        "    import os\n    os.kill(os.getppid(), 9)\n    return 'killed'",
        "    import ctypes\n    return str(ctypes.CDLL(None).ptrace(16, __import__('os').getppid(), 0, 0) == 0 or 1 / 0)",
        "    import socket\n    return socket.getaddrinfo('example.com', 80)[0][0].name",
        &connect,
    ];
    for body in hostile {
        let (text, failed) = run(body, given).await;
        assert!(failed, "{body}: {text}");
        assert!(!text.contains("the secret"), "{body}: {text}");
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), "the secret");
    assert!(listener.accept().is_err(), "nothing connected");
    assert!(!std::path::Path::new("/tmp/made-by-a-tool").exists());
}

#[tokio::test]
async fn loops_memory_results_and_forks_have_bounds() {
    let soon = ToolCreationConfig { timeout_ms: 2_000, ..ToolCreationConfig::default() };
    let (text, failed) = run("    while True: pass", "").await;
    assert!(failed && text.contains("ended without a result"), "{text}");
    let (text, failed) = run_by(&soon, "    import time\n    time.sleep(600)", "").await;
    assert!(failed && text.contains("no result within 2000 ms"), "{text}");
    let (text, failed) = run("    return len('x' * (1 << 30))", "").await;
    assert!(failed && text.contains("MemoryError"), "{text}");
    let (text, failed) = run("    return 'x' * 1000000", "").await;
    assert!(failed && text.contains("its result is too long"), "{text}");
    // A bomb whose processes let go of the result.
    let bomb = "    import os, time\n    made = 0\n    try:\n        while made < 100:\n            if os.fork() == 0:\n                \
        os.close(1)\n                time.sleep(600)\n            made += 1\n    except OSError:\n        pass\n    return made";
    let (text, failed) = run(bomb, "").await;
    assert!(!failed && text.parse::<u64>().is_ok_and(|made| made < PROCESSES), "{text}");
}

#[tokio::test]
async fn an_invalid_python_program_is_reported_with_its_key() {
    for program in ["/no/such/python", "false", "true"] {
        let Err(RunError::Start(reason)) = interpreter(program).await else { panic!("{program}") };
        assert!(reason.starts_with(&format!("tool_creation.python: {program:?} ")), "{reason}");
    }
}
