internal import FoundationEssentials
internal import Glibc

/// The worker processes: ended ones are replaced, stopped ones continue after their time.
struct Team: ~Copyable {
  private struct Member {
    var pid: pid_t
    /// When the process continues; nil if it is not stopped.
    var goesOn: ContinuousClock.Instant?
    var isFrozen = false
  }

  private var members: [Member] = []
  private let arguments: [String]
  private let errors: String
  /// The number of started processes.
  private(set) var started = 0

  /// - Parameters:
  ///   - arguments: of the worker command.
  ///   - errors: the file for the workers' standard error.
  init(_ count: Int, arguments: [String], errors: String) throws {
    self.arguments = arguments
    self.errors = errors
    for _ in 0..<count { members.append(Member(pid: try spawn())) }
  }

  deinit { for member in members { kill(member.pid, SIGKILL) } }

  /// Replaces ended processes and continues stopped ones whose time is over.
  mutating func restartEnded() throws {
    for index in members.indices {
      if let goesOn = members[index].goesOn, goesOn < .now { wake(index) }
      var status: Int32 = 0
      guard waitpid(members[index].pid, &status, WNOHANG) == members[index].pid else { continue }
      members[index] = Member(pid: try spawn())
    }
  }

  /// Applies a fault to one process.
  mutating func suffer(_ fault: RoundPlan.Fault, _ index: Int) {
    // At least half of them keep running: without workers, jobs wait, which is no fault of the queue.
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

  /// Continues all processes.
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
    // A worker that aborts must end at once, without a backtrace.
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
