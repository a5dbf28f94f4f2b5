//! Ends that nobody asked for.

use crate::support::{User, within};
use std::{
    io::{Read, Write},
    process::Stdio,
};

#[test]
fn a_host_that_never_reads_ends_the_program_with_a_word_and_a_code() {
    let user = User::new();
    let mut command = user.command(&["serve"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdin, _stdout) = (child.stdin.take().unwrap(), child.stdout.take());
    // Each line is answered, and the answers are longer: more than may wait.
    let lines = "{}\n".repeat(1000);
    within(|| {
        let gone = stdin.write_all(lines.as_bytes()).is_err();
        gone.then_some(())
    });
    let status = within(|| child.try_wait().unwrap());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(
        said.contains("error: the host does not read") && said.contains("bytes of refusals unread"),
        "{said}"
    );
}
