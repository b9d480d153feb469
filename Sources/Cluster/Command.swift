internal import CSpawn
internal import Glibc

/// A program to run, possibly as another user, with its output in a file.
///
/// The child gets an environment of `PATH`, `LC_ALL` and the named variables only (`PGDATA` or `PGPORT` must not reach the
/// server), the working folder `/` unless another is named, default signal handling and no inherited descriptors: a server that
/// outlives this process must not keep the locks and sockets of this process open.
struct Command {
  let executable: String
  let arguments: [String]
  let user: ServerUser
  /// The file to append output to; created with mode 0600 if it is missing, and owned by `user`.
  let output: String
  /// The file for standard output alone; nil for ``output``, which has standard error too.
  var results: String?
  /// The working folder.
  var folder = "/"
  /// The descriptor that the program reads; nil for `/dev/null`.
  var input: Int32?
  /// Variables besides `PATH` and `LC_ALL`.
  var variables: [String] = []
  /// True to detach the program: ``run()`` returns immediately, and the program gets another parent and its
  /// own session, so that neither the end of this process nor Ctrl-C ends the program.
  ///
  /// The other parent also reaps the program. A zombie child of this process would look alive to PostgreSQL.
  var detached = false

  /// Starts the program and returns its process id. The caller must reap the process.
  ///
  /// - Throws: ``ClusterError`` of kind `spawnFailed`.
  func spawn() throws(ClusterError) -> pid_t {
    let log = try opened(output)
    defer { close(log) }
    let standardOutput = try results.map { path throws(ClusterError) in try opened(path) } ?? log
    defer { if standardOutput != log { close(standardOutput) } }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, standardOutput, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO)
    cspawn_close_others(&actions)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let line = commandLine
    var child: pid_t = 0
    let code = withCStrings(line) { arguments in
      withCStrings(["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"] + variables) { environment in
        posix_spawn(&child, line[0], &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw failure("cannot run \(line[0])", code) }
    return child
  }

  /// Runs the program and returns its exit status, or 128 plus the number of the signal that ended it.
  ///
  /// On cancellation the program is killed.
  ///
  /// - Throws: ``ClusterError`` of kind `spawnFailed`, `CancellationError`.
  func run() async throws -> Int32 {
    let child = try spawn()
    var status: Int32 = 0
    // Polls, because a blocking wait would occupy a thread of Swift's concurrency pool.
    while true {
      let reaped = waitpid(child, &status, WNOHANG)
      if reaped == child { break }
      if reaped < 0, errno != EINTR { throw failure("cannot wait for \(executable)", errno) }
      do {
        try await Task.sleep(for: .milliseconds(5))
      } catch {
        kill(child, SIGKILL)
        waitpid(child, &status, 0)
        throw error
      }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// The command line: wrapper programs that execute the words after their own, then the program.
  private var commandLine: [String] {
    // The server's user may not be able to enter the current working folder.
    var line = ["/usr/bin/env", "--chdir=\(folder)"]
    if detached { line += ["/usr/bin/setsid", "--fork"] }
    if user.isAnother {
      line += ["/usr/bin/setpriv", "--reuid=\(user.uid)", "--regid=\(user.gid)", "--clear-groups", "--"]
    }
    return line + [executable] + arguments
  }

  /// Opens a file for output that belongs to the user of the program.
  private func opened(_ path: String) throws(ClusterError) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("cannot write \(path)", errno) }
    fchown(descriptor, user.uid, user.gid)
    return descriptor
  }

  private func failure(_ action: String, _ code: Int32) -> ClusterError {
    .system(.spawnFailed, action, errno: code, hint: "check the installation of PostgreSQL and util-linux")
  }

  private func withCStrings<Result>(
    _ strings: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
