//! Server-sent events.

/// A parser that cuts a stream into the data of its events.
#[derive(Debug, Default)]
pub(crate) struct Events(Vec<u8>);

impl Events {
    /// Takes a piece of the stream. Returns the data of the events that are complete; events without data are left out.
    pub(crate) fn take(&mut self, piece: &[u8]) -> Vec<String> {
        self.0.extend_from_slice(piece);
        let mut events = Vec::new();
        while let Some(end) = self.0.windows(2).position(|pair| pair == b"\n\n") {
            let bytes: Vec<u8> = self.0.drain(..end + 2).collect();
            let text = String::from_utf8_lossy(&bytes);
            let data: Vec<&str> =
                text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim_start).collect();
            let data = data.join("\n");
            if !data.is_empty() {
                events.push(data);
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_whole_however_they_are_cut() {
        let mut events = Events::default();
        assert!(events.take(b": alive\n\nid: 1\ndata:\n\nda").is_empty());
        assert_eq!(events.take(b"ta: {\"a\":1}\n\nid: 2\ndata: {}\n\nda"), ["{\"a\":1}", "{}"]);
    }
}
