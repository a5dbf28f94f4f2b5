//! A server's stderr: logged under the server's name, with the last lines kept for errors.

use parking_lot::Mutex;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader},
    sync::watch,
};

/// The last lines of a server's stderr; clones share them.
#[derive(Debug, Clone)]
pub struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    ended: watch::Receiver<bool>,
}

/// The number of lines that are kept.
const KEPT: usize = 20;
/// The longest line that is logged, in bytes; a longer one is logged in parts.
const MAX_LINE: u64 = 4096;

/// Logs each line until the stream ends.
pub(super) fn log(server_id: String, stderr: impl AsyncRead + Send + Unpin + 'static) -> StderrTail {
    let (end, ended) = watch::channel(false);
    let last_words = StderrTail { lines: Arc::default(), ended };
    let lines = last_words.lines.clone();
    tokio::spawn(async move {
        read(&server_id, stderr, &lines).await;
        end.send_replace(true);
    });
    last_words
}

async fn read(server_id: &str, stderr: impl AsyncRead + Unpin, lines: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        tracing::info!(target: "mgp::server_stderr", server = server_id, "{text}");
        let mut lines = lines.lock();
        if lines.len() == KEPT {
            lines.pop_front();
        }
        lines.push_back(text);
    }
}

impl StderrTail {
    /// Returns the lines read so far.
    #[must_use]
    pub fn so_far(&self) -> Vec<String> {
        self.lines.lock().iter().cloned().collect()
    }

    /// Returns the lines once the stream has ended, or those read so far after the time limit: a grandchild may hold the stream open.
    pub async fn at_end(&self, limit: Duration) -> Vec<String> {
        let mut ended = self.ended.clone();
        // The sender is dropped only together with the runtime.
        let _ = tokio::time::timeout(limit, ended.wait_for(|ended| *ended)).await;
        self.so_far()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_lines_are_kept_and_each_line_is_bounded() {
        let text: String = (0..50).map(|n| format!("line {n}\n")).chain(["x".repeat(10_000)]).collect();
        let words = log("s".into(), std::io::Cursor::new(text)).at_end(Duration::from_secs(10)).await;
        assert_eq!(words.len(), KEPT);
        assert_eq!((&*words[0], words[19].len()), ("line 33", 10_000 - 2 * 4096));
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_stream_is_not_waited_for() {
        let (_open, stderr) = tokio::io::duplex(10);
        assert!(log("s".into(), stderr).at_end(Duration::from_secs(10)).await.is_empty());
    }
}
