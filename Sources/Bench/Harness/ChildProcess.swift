internal import FoundationEssentials
internal import Glibc

/// A program that runs during measurements, such as `fettle serve`. Its output goes to a file.
final class ChildProcess: Sendable {
  let pid: pid_t
  private let name: String
  private let log: String
  private let input: Int32

  /// Starts a program, named by a path or looked up in PATH.
  ///
  /// - Parameters:
  ///   - environment: variables in addition to those of this process, without those for PostgreSQL and Fettle.
  ///   - log: the file of its output.
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:], log: String) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure("no pipe") }
    defer { close(ends[0]) }
    // Later processes must not inherit these descriptors, or the end of the input would not arrive.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    // Threads of Swift's pools block all signals, and a process that inherits that never notices its alarm.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let own = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("PG") && !name.hasPrefix("FETTLE_")
    }
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    var envp = own.merging(environment) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var pid: pid_t = 0
    guard posix_spawnp(&pid, path, &actions, &attributes, &argv, &envp) == 0 else {
      close(ends[1])
      throw Failure("cannot start \(path)")
    }
    self.pid = pid
    self.log = log
    name = ([path] + arguments).joined(separator: " ")
    input = ends[1]
  }

  deinit { close(input) }

  var output: String {
    (try? Data(contentsOf: URL(filePath: log))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  var isRunning: Bool {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) == 0
  }

  var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  func send(_ line: String) { _ = "\(line)\n".withCString { write(input, $0, strlen($0)) } }

  /// Waits until the process has ended. Blocks the thread.
  ///
  /// - Throws: ``Failure`` with the output, if it does not exit with 0.
  func finish() throws {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
      guard errno == EINTR else { throw Failure("cannot wait for \(name)") }
    }
    guard status == 0 else { throw Failure("\(name) failed:\n\(output)") }
  }

  /// Runs a body with the process, then sends SIGTERM, and SIGKILL after 20 seconds.
  func during<T>(_ body: () async throws -> T) async throws -> T {
    defer { stop() }
    return try await body()
  }

  private func stop() {
    kill(pid, SIGTERM)
    for _ in 0..<2_000 {
      guard isRunning else { return }
      usleep(10_000)
    }
    kill(pid, SIGKILL)
  }

  /// Runs a program to its end. Blocks the thread, since nothing else should run during the measurement.
  static func run(
    _ path: String,
    _ arguments: [String],
    environment: [String: String] = [:]
  ) throws -> (output: String, seconds: Double) {
    let log = FileManager.default.temporaryDirectory.appending(path: "fettle-bench-\(UUID().uuidString)").path
    defer { unlink(log) }
    let start = ContinuousClock.now
    let process = try ChildProcess(path, arguments, environment: environment, log: log)
    try process.finish()
    return (process.output, (ContinuousClock.now - start) / .seconds(1))
  }

  /// Returns the path of a program in the folder of this program.
  static func beside(_ name: String) throws -> String {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(filePath: own).deletingLastPathComponent().appending(path: name).path
    guard access(path, X_OK) == 0 else {
      throw Failure("\(name) is not beside fettle-bench; build it with the same configuration")
    }
    return path
  }
}
