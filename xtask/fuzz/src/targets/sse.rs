//! Server-sent events: data stays within the limit, the boundaries of pieces make no difference, and the client's
//! parser returns the data that a server writes.

use mgp_transport::fuzzing::{event_id, events, write_event};

pub(super) fn run(data: &[u8]) {
    let [max, size, text @ ..] = data else { return };
    let (max, size) = (usize::from(*max) * 4, usize::from(*size) + 1);
    let read = events(text, max, size);
    assert_eq!(read, events(text, max, usize::MAX), "where a piece ends must not matter");
    assert!(read.events.iter().all(|(_, data)| data.len() <= max));
    assert!(read.last_id.as_ref().is_none_or(|id| id.len() <= 1024 && !id.contains('\0')));
    if let Some(id) = read.last_id.as_deref().and_then(event_id) {
        assert_eq!(
            events(&write_event(Some(id), b"{}"), 100, size).last_id.as_deref().and_then(event_id),
            Some(id)
        );
    }
    let line: Vec<_> = text.iter().copied().filter(|byte| !b"\r\n".contains(byte)).collect();
    let written = events(&write_event(None, &line), line.len() + 1, size);
    assert_eq!(written.events, [("message".to_owned(), line)]);
}
