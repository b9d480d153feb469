internal import FoundationEssentials
internal import Glibc

/// The worker processes. Ended processes are replaced; stopped processes continue after their time.
struct Team: ~Copyable {
  private struct Member {
    var pid: pid_t
    /// The time at which a stopped process continues; nil if the process is running or frozen.
    var goesOn: ContinuousClock.Instant?
    var isFrozen = false
  }

  private var members: [Member] = []
  private let arguments: [String]
  private let errors: String
  /// The number of started processes.
  private(set) var started = 0

  /// - Parameters:
  ///   - count: the number of processes.
  ///   - arguments: the arguments of the command `worker`.
  ///   - errors: the path of the file for the output of the workers.
  init(_ count: Int, arguments: [String], errors: String) throws {
    self.arguments = arguments
    self.errors = errors
    for _ in 0..<count { members.append(Member(pid: try spawn())) }
  }

  deinit { for member in members { kill(member.pid, SIGKILL) } }

  /// Replaces ended processes, and continues stopped processes whose time is over.
  mutating func restartEnded() throws {
    for index in members.indices {
      if let goesOn = members[index].goesOn, goesOn < .now { wake(index) }
      var status: Int32 = 0
      guard waitpid(members[index].pid, &status, WNOHANG) == members[index].pid else { continue }
      members[index] = Member(pid: try spawn())
    }
  }

  /// Injects a fault into one process; SIGSTOP only while more than half of the processes are running.
  mutating func suffer(_ fault: RoundPlan.Fault, _ index: Int) {
    // At least half of the processes keep running, because without workers no job can end.
    let asleep = members.count { $0.goesOn != nil || $0.isFrozen }
    switch fault {
    case .kill: kill(members[index].pid, SIGKILL)
    case .terminate: kill(members[index].pid, SIGTERM)
    case .stop, .freeze:
      guard asleep < members.count / 2 else { return }
      kill(members[index].pid, SIGSTOP)
      if case .stop(let time) = fault {
        members[index].goesOn = .now + time
      } else {
        members[index].isFrozen = true
      }
    }
  }

  /// Continues all stopped and frozen processes.
  mutating func wakeAll() { for index in members.indices { wake(index) } }

  private mutating func wake(_ index: Int) {
    kill(members[index].pid, SIGCONT)
    members[index].goesOn = nil
    members[index].isFrozen = false
  }

  private mutating func spawn() throws -> pid_t {
    started += 1
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_APPEND | O_CREAT, 0o644)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] =
      (["fettle-chaos", "worker"] + arguments).map { strdup($0) } + [nil]
    // Without backtraces, a worker that aborts ends immediately.
    var environment: [UnsafeMutablePointer<CChar>?] =
      ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      .map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in words + environment { free(word) } }
    var pid: pid_t = 0
    guard posix_spawn(&pid, "/proc/self/exe", &actions, nil, &words, &environment) == 0 else {
      throw ChaosError(description: "cannot start a worker process")
    }
    return pid
  }
}
