//! Lines from a byte stream: no line is longer than the limit, the boundaries of pieces make no difference, and a line that is too long
//! is never attributed to the wrong call.

use mgp_transport::fuzzing::lines;
use mgp_types::rpc::Frame;

pub(super) fn run(data: &[u8]) {
    let [max, size, text @ ..] = data else { return };
    let (max, size) = (usize::from(*max) * 8, usize::from(*size) + 1);
    let frames = lines(text, max, size);
    for frame in frames.iter().flatten() {
        assert!(!frame.is_empty() && frame.len() <= max && !frame.contains(&b'\n'));
    }
    let whole = lines(text, max, usize::MAX);
    let read =
        |frames: &[Result<_, _>]| frames.iter().map(|frame| frame.as_ref().ok().cloned()).collect::<Vec<_>>();
    assert_eq!(read(&frames), read(&whole), "where a piece ends must not matter");

    // White space counts: a blank line that is too long is reported too.
    let is_reported =
        |line: &&[u8]| !line.trim_ascii().is_empty() || line.strip_suffix(b"\r").unwrap_or(line).len() > max;
    let reported = text.split(|byte| *byte == b'\n').filter(is_reported);
    for (line, frame) in reported.zip(&frames) {
        let Err(error) = frame else { continue };
        let Some(named) = &error.id else { continue };
        let id = match Frame::parse(&line.trim_ascii().to_vec().into()) {
            Ok(Frame::Request { id, .. }) => Some(id),
            Ok(Frame::Response { id, .. }) => id,
            _ => continue,
        };
        assert_eq!(Some(named), id.as_ref(), "a line that is too long is another call's");
    }
}
