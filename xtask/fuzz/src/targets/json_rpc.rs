//! JSON-RPC messages, alone and in batches: each message that is read is written as one line and read again.

use mgp_transport::fuzzing::messages;
use mgp_types::rpc::Frame;

/// The most messages in a batch.
const MAX_BATCH: usize = 8;

fn written(frame: &Frame) -> Vec<u8> {
    let mut line = Vec::new();
    frame.write(&mut line);
    line
}

fn round_trip(frame: &Frame) {
    let line = written(frame);
    assert!(!line.iter().any(|byte| b"\r\n".contains(byte)), "a message is one line");
    // The first writing removes line breaks between tokens, so the second is compared with it.
    let again = Frame::parse(&line.clone().into()).expect("what was written can be read");
    assert_eq!(written(&again), line);
}

pub(super) fn run(data: &[u8]) {
    let text = data.to_vec();
    if let Ok(frame) = Frame::parse(&text.clone().into()) {
        round_trip(&frame);
    }
    if let Ok(frames) = messages(text.into(), MAX_BATCH) {
        assert!((1..=MAX_BATCH).contains(&frames.len()));
        frames.into_iter().flatten().for_each(|frame| round_trip(&frame));
    }
}
