//! Tests of spools.

use super::*;
use ring::{
    aead::{CHACHA20_POLY1305, LessSafeKey, UnboundKey},
    digest,
};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 31 % 251) as u8).collect()
}

fn spool(bytes: &[u8], piece: usize) -> Spool {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SpoolWriter::create(Some(folder.path())).unwrap();
    bytes.chunks(piece.max(1)).for_each(|piece| writer.write(piece).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file has no name");
    writer.finish().unwrap()
}

#[test]
fn every_range_reads_back_and_the_hash_is_that_of_the_data() {
    for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7] {
        let data = bytes(length);
        let spool = spool(&data, 10_007);
        assert_eq!(spool.length(), length as u64);
        assert_eq!(spool.sha256(), digest::digest(&digest::SHA256, &data).as_ref());
        for offset in [0, 1, CHUNK - 1, CHUNK, 2 * CHUNK + 5, length, length + 1] {
            for wanted in [0, 1, CHUNK, 2 * CHUNK + 1, usize::MAX / 2] {
                let start = offset.min(length);
                let end = start.saturating_add(wanted).min(length);
                assert_eq!(spool.read(offset as u64, wanted).unwrap(), data[start..end], "{length} {offset}");
            }
        }
    }
}

/// Returns a spool over a file that the test can change.
fn over_file(data: &[u8]) -> (Spool, std::fs::File) {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SpoolWriter::create(Some(folder.path())).unwrap();
    writer.write(data).unwrap();
    writer.finish().unwrap().parts()
}

#[test]
fn the_file_holds_no_plain_text_and_a_changed_one_is_refused() {
    let data = b"the secret text".repeat(10_000);
    let (spool, mut file) = over_file(&data);
    let mut kept = Vec::new();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_end(&mut kept).unwrap();
    assert!(kept.len() > data.len() && !kept.windows(6).any(|part| part == b"secret"));
    file.seek(SeekFrom::Start(100)).unwrap();
    file.write_all(&[kept[100] ^ 1]).unwrap();
    assert_eq!(spool.read(0, 10).unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(spool.read(CHUNK as u64, 10).unwrap(), data[CHUNK..CHUNK + 10], "other chunks are read");
    // Another key decrypts nothing.
    let other = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &[0; 32]).unwrap());
    let stolen = Spool::new(file, other, data.len() as u64, [0; 32]);
    assert_eq!(stolen.read(CHUNK as u64, 10).unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn a_derived_key_opens_only_its_own_chunks() {
    let key = |secret: &str, owner: &str| DerivedKey::new(secret.as_bytes(), owner.as_bytes()).unwrap();
    let here = key("ref-1", "ann");
    // Rows of an earlier version of the program are still found.
    assert_eq!(here.name()[..4], [223, 111, 211, 187]);
    let sealed = here.seal(3, b"the secret text".to_vec()).unwrap();
    assert!(!sealed.windows(6).any(|part| part == b"secret"));
    assert_eq!(sealed.len(), 15 + DerivedKey::TAG);
    assert_eq!(key("ref-1", "ann").open(3, sealed.clone()).unwrap(), b"the secret text");
    for (other, chunk) in [(key("ref-1", "bob"), 3), (key("ref-2", "ann"), 3), (key("ref-1", "ann"), 4)] {
        assert_eq!(other.open(chunk, sealed.clone()).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(other.name() == here.name(), chunk == 4);
    }
    let mut changed = sealed;
    changed[0] ^= 1;
    assert!(here.open(3, changed).is_err());
}
