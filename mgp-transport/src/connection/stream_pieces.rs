//! Lines that wait to be written to a byte stream, with long strings that are not in memory.

use crate::long_text::{LongText, PlacedText, read_part};
use mgp_types::json::RawJson;
use std::{collections::VecDeque, io, sync::Arc};

/// Lines that wait to be written, with long strings that are read from their store only then.
#[derive(Debug, Default)]
pub(super) struct WaitingPieces {
    pieces: VecDeque<Piece>,
    in_memory: usize,
}

#[derive(Debug)]
enum Piece {
    Bytes(Vec<u8>),
    Text { text: Arc<dyn LongText>, offset: u64 },
}

impl WaitingPieces {
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the number of bytes in memory.
    pub(super) fn in_memory(&self) -> usize {
        self.in_memory
    }

    /// Appends a line, with texts instead of their placeholders.
    pub(super) fn push(&mut self, line: &[u8], texts: &[PlacedText]) {
        let mut places: Vec<(usize, usize, &PlacedText)> = Vec::new();
        for placed in texts {
            let quoted = format!("\"{}\"", placed.placeholder);
            let found = memchr::memmem::find_iter(line, quoted.as_bytes());
            places.extend(found.map(|at| (at, at + quoted.len(), placed)));
        }
        places.sort_by_key(|(at, ..)| *at);
        let mut done = 0;
        for (at, end, placed) in places {
            // One text may have two guards.
            if at < done {
                continue;
            }
            self.bytes(&line[done..at]);
            self.pieces.push_back(Piece::Text { text: placed.text.clone(), offset: 0 });
            done = end;
        }
        self.bytes(&line[done..]);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.in_memory += bytes.len();
        match self.pieces.back_mut() {
            Some(Piece::Bytes(last)) => last.extend_from_slice(bytes),
            _ => self.pieces.push_back(Piece::Bytes(bytes.to_vec())),
        }
    }

    /// Moves the next bytes to write into an empty buffer: at most one part of a text.
    ///
    /// # Errors
    /// Returns the error of the text's store.
    pub(super) fn take(&mut self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let Some(Piece::Text { text, offset }) = self.pieces.front_mut() else {
            if let Some(Piece::Bytes(bytes)) = self.pieces.pop_front() {
                self.in_memory -= bytes.len();
                *buffer = bytes;
            }
            return Ok(());
        };
        let part = read_part(&**text, *offset)?;
        if *offset == 0 {
            buffer.push(b'"');
        }
        *offset += part.len() as u64;
        let is_end = *offset >= text.length();
        let quoted = RawJson::string(&part);
        buffer.extend_from_slice(&quoted.as_bytes()[1..quoted.as_bytes().len() - 1]);
        if is_end {
            buffer.push(b'"');
            self.pieces.pop_front();
        }
        Ok(())
    }
}
