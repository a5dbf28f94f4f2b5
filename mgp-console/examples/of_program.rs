//! A console that runs the commands of a program as processes: `cargo run -p mgp-console --example of_program -- PATH [OPTION..]`, where the
//! options are those of every command, such as `--demo`.

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use mgp_console::{CommandError, Commands, Console, ConsoleAddress, LiveEvent, Operator, OperatorRole};
use serde::Deserialize;
use std::{env, error::Error, io, process::Stdio};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpListener,
    process::{Child, ChildStdout, Command},
};

/// A program, and the options of every command.
struct Program {
    path: String,
    options: Vec<String>,
}

/// The JSON of a failed command.
#[derive(Deserialize)]
struct Failure {
    error: CommandError,
}

impl Program {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.options).arg("--json").stdin(Stdio::null()).stderr(Stdio::null());
        command.kill_on_drop(true);
        command
    }
}

#[async_trait]
impl Commands for Program {
    async fn run(&self, operator: &Operator, words: &[String]) -> Result<String, CommandError> {
        self.run_with_input(operator, words, "").await
    }

    async fn run_with_input(
        &self,
        operator: &Operator,
        words: &[String],
        input: &str,
    ) -> Result<String, CommandError> {
        let mut command = self.command();
        command.env("USER", &operator.name).args(words);
        let json =
            output(command, input).await.map_err(|error| CommandError::new("failed", error.to_string()))?;
        match serde_json::from_str::<Failure>(&json) {
            Ok(failure) => Err(failure.error),
            Err(_) => Ok(json),
        }
    }

    fn follow(&self) -> BoxStream<'static, LiveEvent> {
        let mut command = self.command();
        let child = command.args(["audit", "--follow", "--last", "0"]).stdout(Stdio::piped()).spawn();
        let state = child.ok().and_then(|mut child| {
            let lines = BufReader::new(child.stdout.take()?).lines();
            Some((child, lines))
        });
        Box::pin(futures_util::stream::unfold(state, next))
    }
}

/// Runs a command with an input, and returns what it prints.
async fn output(mut command: Command, input: &str) -> io::Result<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take();
    let write = async {
        if let Some(mut stdin) = stdin {
            // A command that reads no input may end before.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let ((), output) = tokio::join!(write, child.wait_with_output());
    Ok(String::from_utf8_lossy(&output?.stdout).into_owned())
}

/// Reads the next event that `mgp audit --follow` prints.
async fn next(
    state: Option<(Child, Lines<BufReader<ChildStdout>>)>,
) -> Option<(LiveEvent, Option<(Child, Lines<BufReader<ChildStdout>>)>)> {
    let (child, mut lines) = state?;
    let json = lines.next_line().await.ok()??;
    Some((LiveEvent { json }, Some((child, lines))))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("expected the path of a program")?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = ConsoleAddress::Loopback(listener.local_addr()?);
    let console =
        Console::new(Program { path, options: arguments.collect() }, address).ok_or("no address")?;
    let operator = Operator { name: env::var("USER").unwrap_or_default(), role: OperatorRole::Admin };
    println!("{}", console.sign_in_address(operator)?);
    axum::serve(listener, console.router()).await?;
    Ok(())
}
