internal import Cluster
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The worker processes of the benchmark, and the lines that they report.
final class DrainTeam: Sendable {
  /// The last values that one process has reported.
  private struct Member {
    var isReady = false
    var calls = 0
    var sum = 0
    var cpu = 0.0
    var times: [Int: Int] = [:]
  }

  private struct Process {
    let pid: pid_t
    let input: Int32
    let output: UnsafeMutablePointer<FILE>
  }

  private let members: Mutex<[Member]>
  private let pids: [pid_t]
  private let inputs: [Int32]

  /// Starts worker processes. Returns when all of them are connected and ready.
  ///
  /// - Parameters:
  ///   - count: the number of processes.
  ///   - kinds: the job kinds that the processes handle.
  ///   - tellsTimes: true to report the start time of each job.
  static func start(
    _ count: Int,
    server: BenchServer,
    database: String,
    kinds: [String],
    tellsTimes: Bool = false
  )
    async throws -> DrainTeam
  {
    var pids: [pid_t] = []
    var inputs: [Int32] = []
    var outputs: [Int32] = []
    for _ in 0..<count {
      let (pid, input, output) = try spawn(
        [
          "drain", "--host", server.cluster.socketDirectory, "--port", String(server.cluster.port),
          "--database",
          database, "--kinds", kinds.joined(separator: ","),
        ] + (tellsTimes ? ["--tells-times"] : [])
      )
      pids.append(pid)
      inputs.append(input)
      outputs.append(output)
    }
    let team = DrainTeam(pids: pids, inputs: inputs)
    for (index, output) in outputs.enumerated() { team.read(index, output) }
    while !team.members.withLock({ $0.allSatisfy(\.isReady) }) { try await Task.sleep(for: .milliseconds(5)) }
    return team
  }

  private init(pids: [pid_t], inputs: [Int32]) {
    self.pids = pids
    self.inputs = inputs
    members = Mutex(pids.map { _ in Member() })
  }

  /// Sends the start signal to all processes.
  func go() { for input in inputs { _ = write(input, "go\n", 3) } }

  /// The number of handler calls so far, and the sum of the numbers in their payloads.
  var counts: (calls: Int, sum: Int) {
    members.withLock { $0.reduce((0, 0)) { ($0.0 + $1.calls, $0.1 &+ $1.sum) } }
  }

  /// Stops the processes and waits until they have ended.
  ///
  /// - Returns: the CPU time of all processes in microseconds, and the start times of jobs by number, in
  ///   nanoseconds; empty unless the processes report times.
  /// - Throws: ``Tool/Failure`` if a process does not exit with 0.
  func stop() async throws -> (cpu: Double, times: [Int: Int]) {
    for input in inputs { close(input) }
    for pid in pids {
      var status: Int32 = 0
      while waitpid(pid, &status, WNOHANG) == 0 { try await Task.sleep(for: .milliseconds(5)) }
      guard status == 0 else { throw Tool.Failure(description: "a worker process ended with \(status)") }
    }
    // The last lines of an ended process may not have been read yet.
    while members.withLock({ $0.contains { $0.cpu == 0 } }) { try await Task.sleep(for: .milliseconds(5)) }
    return members.withLock { members in
      (
        members.reduce(0) { $0 + $1.cpu },
        members.reduce(into: [:]) { $0.merge($1.times) { first, _ in first } }
      )
    }
  }

  private func read(_ index: Int, _ output: Int32) {
    let reader = Reader { line in self.take(line, index) }
    reader.start(output)
  }

  private func take(_ line: String, _ index: Int) {
    let words = line.split(whereSeparator: \.isWhitespace)
    members.withLock { members in
      switch words.first {
      case "ready": members[index].isReady = true
      case "calls" where words.count == 3:
        members[index].calls = Int(words[1]) ?? 0
        members[index].sum = Int(words[2]) ?? 0
      case "time" where words.count == 3:
        if let number = Int(words[1]), let time = Int(words[2]) { members[index].times[number] = time }
      case "cpu" where words.count == 2: members[index].cpu = Double(words[1]) ?? .nan
      default: break
      }
    }
  }

  private static func spawn(_ arguments: [String]) throws -> (pid_t, input: Int32, output: Int32) {
    var down: [Int32] = [0, 0]
    var up: [Int32] = [0, 0]
    guard pipe(&down) == 0, pipe(&up) == 0 else { throw Tool.Failure(description: "no pipe") }
    // Later processes must not inherit these descriptors, or the end of input would not arrive.
    for end in down + up { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO)
    let path = "/proc/self/exe"
    var argv: [UnsafeMutablePointer<CChar>?] = (["fettle-bench"] + arguments).map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var pid: pid_t = 0
    guard posix_spawn(&pid, path, &actions, nil, &argv, environ) == 0 else {
      throw Tool.Failure(description: "cannot start a worker process")
    }
    close(down[0])
    close(up[1])
    return (pid, down[1], up[0])
  }

  /// Reads lines on a separate thread until the end of the input.
  private final class Reader: Sendable {
    private let body: @Sendable (String) -> Void
    private let file = Atomic<Int>(0)

    init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }

    func start(_ descriptor: Int32) {
      file.store(Int(descriptor), ordering: .releasing)
      var id = pthread_t()
      let me = Unmanaged.passRetained(self)
      pthread_create(
        &id,
        nil,
        { raw in
          raw.map { Unmanaged<Reader>.fromOpaque($0).takeRetainedValue() }?.run()
          return nil
        },
        me.toOpaque()
      )
      pthread_detach(id)
    }

    private func run() {
      guard let stream = fdopen(Int32(file.load(ordering: .acquiring)), "r") else { return }
      defer { fclose(stream) }
      var line: UnsafeMutablePointer<CChar>?
      var size = 0
      defer { free(line) }
      while getline(&line, &size, stream) > 0, let text = line { body(String(cString: text)) }
    }
  }
}
