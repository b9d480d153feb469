internal import CSpawn
internal import Foundation
internal import Glibc

/// A program that a test starts. It inherits standard descriptors only, blocks no signal, and is the first of its own
/// process group.
///
/// Not Foundation's `Process`: one thread waits for all of those in turn, and when it stood still, none of the programs
/// that ended afterwards was noticed, until the limit of the whole run. It also takes a program whose descriptors others have
/// inherited to be running.
package struct Child: Sendable {
  /// The process id.
  package let id: Int32

  /// The program could not be started.
  package struct NotStarted: Error {
    package let program: String
    /// The value of `errno`.
    package let code: Int32
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: the path.
  ///   - environment: its variables; nil for those of this process.
  ///   - folder: the working folder; nil for that of this process.
  ///   - input: the file that it reads.
  ///   - output: the file for its output, which is created or appended to.
  ///   - errors: the file for its messages; nil for that of the output.
  package init(
    _ program: String,
    _ arguments: [String],
    environment: [String: String]? = nil,
    folder: String? = nil,
    input: String = "/dev/null",
    output: String = "/dev/null",
    errors: String? = nil
  ) throws {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input, O_RDONLY, 0)
    let appending = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output, appending, 0o644)
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors ?? output, appending, 0o644)
    if let folder { cspawn_enter(&files, folder) }
    cspawn_close_others(&files)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)
    )

    let own = environment ?? ProcessInfo.processInfo.environment
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = own.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var id = pid_t()
    let code = posix_spawn(&id, program, &files, &attributes, &words, &variables)
    guard code == 0 else { throw NotStarted(program: program, code: code) }
    self.id = id
  }

  /// Waits until the program has ended, and returns its status, which is negative if a signal ended it. Blocks the
  /// thread; to be called once.
  @discardableResult
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return -1 }
    }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : -signal
  }

  /// The status as ``wait()`` returns it, without blocking a thread of the tests; to be called once.
  @discardableResult
  package func ended() -> Task<Int32, Never> {
    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
    Thread.detachNewThread {
      end.yield(wait())
      end.finish()
    }
    return Task { await ends.first { _ in true } ?? -1 }
  }
}
