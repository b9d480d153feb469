internal import Glibc

/// A program in the folder of this program, whose run time can be measured.
struct BuiltCommand: Sendable {
  let path: String

  /// Returns the program with a name.
  ///
  /// - Throws: ``Tool/Failure`` if the program is not beside this one.
  static func find(_ name: String) throws -> BuiltCommand {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/exe", $0, Int(PATH_MAX)) } ?? 0
    }
    let own = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    let path = own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex) + "/" + name
    guard access(String(path), X_OK) == 0 else {
      throw Tool.Failure(
        description: "\(name) is not beside fettle-bench; build it with the same configuration"
      )
    }
    return BuiltCommand(path: String(path))
  }

  /// Runs the program and returns the number of lines that it prints.
  func lines(_ arguments: [String], _ environment: [String: String]) throws -> Int {
    try Tool(path: path).run(arguments, environment: environment).split(separator: "\n").count
  }

  /// Runs the program with its output discarded, and returns the seconds from start to end.
  ///
  /// Blocks the thread, since nothing else should run during the measurement.
  func seconds(_ arguments: [String], _ environment: [String: String]) throws -> Double {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    var settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + settings { free(text) } }
    var pid: pid_t = 0
    let start = ContinuousClock.now
    guard posix_spawn(&pid, path, &actions, nil, &argv, &settings) == 0 else {
      throw Tool.Failure(description: "cannot start \(path)")
    }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
      guard errno == EINTR else { throw Tool.Failure(description: "cannot wait for \(path)") }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    guard status == 0 else {
      throw Tool.Failure(description: "\(path) \(arguments.joined(separator: " ")) ended with \(status)")
    }
    return seconds
  }
}
