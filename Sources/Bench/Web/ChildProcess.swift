internal import FoundationEssentials
internal import Glibc

/// A program that runs during measurements, such as `fettle serve`. Its output goes to a file.
final class ChildProcess: Sendable {
  let pid: pid_t
  private let log: String

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - environment: variables in addition to those of this process.
  ///   - log: the file of its output.
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:], log: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    let settings = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    var envp = settings.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var pid: pid_t = 0
    guard posix_spawn(&pid, path, &actions, nil, &argv, &envp) == 0 else {
      throw Tool.Failure(description: "cannot start \(path)")
    }
    self.pid = pid
    self.log = log
  }

  /// The output so far.
  var output: String {
    (try? Data(contentsOf: URL(filePath: log))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// True until the process has ended.
  var isRunning: Bool {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) == 0
  }

  /// The resident memory in bytes; 0 after the end.
  var residentBytes: Int {
    guard let text = try? String(contentsOf: URL(filePath: "/proc/\(pid)/statm"), encoding: .utf8) else {
      return 0
    }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Sends SIGTERM and waits for the end; after 20 seconds sends SIGKILL.
  func stop() async throws {
    kill(pid, SIGTERM)
    for _ in 0..<2_000 {
      guard isRunning else { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    kill(pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }
}
