//! Round trips: messages are read as they were written, wherever a piece of the text ends.

use super::LineReader;
use bytes::Bytes;
use futures_util::FutureExt;
use mgp_types::{json::RawJson, rpc::Frame};
use proptest::{collection::vec, prelude::*};
use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, ReadBuf};

/// A text that is read in pieces of a given size.
struct Pieces<'a>(&'a [u8], usize);

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (now, later) = self.0.split_at(self.1.min(self.0.len()).min(into.remaining()));
        into.put_slice(now);
        self.0 = later;
        Poll::Ready(Ok(()))
    }
}

fn read_lines(text: &[u8], size: usize, max: usize) -> Vec<Option<Bytes>> {
    let mut reader = LineReader::new(Pieces(text, size), max);
    std::iter::from_fn(|| reader.next().now_or_never().unwrap().unwrap().map(Result::ok)).collect()
}

proptest! {
    #[test]
    fn messages_read_from_a_stream_are_those_that_were_written(texts in vec(any::<String>(), 0..6), size in 1usize..400) {
        let frames: Vec<_> = texts
            .into_iter()
            .enumerate()
            .map(|(at, text)| Frame::Response { id: Some(at.to_string().as_str().into()), outcome: Ok(RawJson::string(text.as_str())) })
            .collect();
        let mut out = Vec::new();
        for frame in &frames {
            frame.write(&mut out);
            out.push(b'\n');
        }
        let read: Vec<_> = read_lines(&out, size, 10_000)
            .into_iter()
            .map(|line| Frame::parse(&line.unwrap()).unwrap())
            .collect();
        prop_assert_eq!(read, frames);
    }

    #[test]
    fn the_size_of_the_pieces_does_not_matter(text in "[a\\n \r]{0,200}", size in 1usize..30, max in 0usize..20) {
        let read = read_lines(text.as_bytes(), size, max);
        prop_assert_eq!(&read, &read_lines(text.as_bytes(), usize::MAX, max));
        prop_assert!(read.iter().flatten().all(|frame| !frame.is_empty() && frame.len() <= max));
    }
}
