internal import Glibc

/// Runs a program when this process has ended without its own cleanup: by a crash, or by SIGKILL.
///
/// A shell reads a pipe whose other end only this process holds, and sees its end. It is in a session of its own, so that
/// Ctrl-C does not end it.
package final class EndWatch: Sendable {
  private let writer: Int32

  private init(_ writer: Int32) { self.writer = writer }

  /// Begins a watch.
  ///
  /// - Parameters:
  ///   - command: the program to run, by its absolute path, and its arguments.
  ///   - variables: the variables of the program, such as `FETTLE_HOME=/var/lib/fettle`.
  /// - Throws: ``ClusterError`` of kind `spawnFailed`, `CancellationError`.
  package static func begin(_ command: [String], variables: [String]) async throws -> EndWatch {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw ClusterError.system(
        .spawnFailed,
        "cannot make a pipe",
        errno: errno,
        hint: "close other programs"
      )
    }
    // Programs that this process starts must not hold the other end.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let watch = EndWatch(ends[1])
    defer { close(ends[0]) }
    let shell = Command(
      executable: "/bin/sh",
      arguments: ["-c", #"read -r line || exec "$0" "$@""#] + command,
      user: .current,
      output: "/dev/null",
      input: ends[0],
      variables: variables,
      detached: true
    )
    guard try await shell.run() == 0 else {
      throw ClusterError(.spawnFailed, "cannot run /bin/sh", hint: "check the installation of util-linux")
    }
    return watch
  }

  /// Ends the watch: this process has cleaned up.
  package func dismiss() {
    var line = UInt8(ascii: "\n")
    _ = write(writer, &line, 1)
  }

  deinit { close(writer) }
}
