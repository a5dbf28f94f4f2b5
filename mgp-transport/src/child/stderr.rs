//! What a server writes to stderr: to the log, under the server's name, and the last of it kept for errors.

use crate::sync::lock;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::ChildStderr,
};

/// The last lines of a server's stderr.
pub(super) type LastWords = Arc<Mutex<VecDeque<String>>>;

/// How many lines are kept.
const KEPT: usize = 20;
/// The longest line that is logged, in bytes; a longer one is logged in parts.
const MAX_LINE: u64 = 4096;

/// Logs each line until the stream ends.
pub(super) fn log(server_id: String, stderr: ChildStderr) -> LastWords {
    let last_words = LastWords::default();
    let kept = last_words.clone();
    tokio::spawn(async move {
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
            let mut kept = lock(&kept);
            if kept.len() == KEPT {
                kept.pop_front();
            }
            kept.push_back(text);
        }
    });
    last_words
}
