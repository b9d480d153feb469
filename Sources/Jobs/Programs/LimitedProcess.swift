internal import FoundationEssentials
internal import Glibc
internal import Processes
internal import Subprocess

/// One run of a program of the system on untrusted input, in a process of its own with limits of memory, processor
/// time, file size and wall time, in a ``ProgramBox``.
struct LimitedProcess: Sendable {
  /// The end of a run.
  enum End: Sendable, Equatable {
    /// The exit status, and the last line of the standard error.
    case exited(Int, String)
    /// Ended by a signal, which a limit causes.
    case killed(Int)
    /// Ended because it took too long.
    case timedOut
  }

  /// The limits of a run.
  struct Limits: Sendable, Equatable {
    /// The maximum address space in MiB.
    var memory = 1_024
    /// The maximum processor time in seconds.
    var processor = 20
    /// The maximum size of a written file in MiB.
    var file = 512
    /// The maximum wall time.
    var time: Duration = .seconds(30)
  }

  private static let longestOutput = 65_536

  /// The absolute path of the program.
  let path: String
  let arguments: [String]
  /// The working folder; also the home and the folder for temporary files.
  let folder: String
  var limits = Limits()

  /// Runs the program and returns its end and its standard output. Processes that it leaves are killed.
  ///
  /// - Throws: ``JobFailure/snooze(_:_:)`` if this machine has no box; an error if the process cannot be started, or the
  ///   task is cancelled.
  func run() async throws -> (end: End, output: String) {
    guard let box = await ProgramBox.find() else {
      throw JobFailure.snooze(.seconds(3_600), "no box without network can be made here; see `fettle doctor`")
    }
    let run = UUID().uuidString.lowercased()
    let group = ProgramGroup(mark: "\(ProgramEnvironment.mark)=\(run)")
    defer { group.end() }
    do {
      let result = try await Deadline.run(within: limits.time) {
        try await Subprocess.run(
          .name("sh"),
          arguments: Arguments(
            ["-c", #"exec "$@""#, "sh"] + box.words(folder) + [
              "/bin/sh", "-c",
              #"cd "$1" && ulimit -c 0 && ulimit -v "$2" && ulimit -t "$3" && ulimit -f "$4" && shift 4 && exec "$@""#,
              "sh", folder, "\(limits.memory * 1_024)", "\(limits.processor)", "\(limits.file * 2_048)",
              path,
            ] + arguments
          ),
          environment: .custom([
            "PATH": "/usr/bin:/bin", "LANG": "C", "HOME": "\(folder)", "TMPDIR": "\(folder)",
            "VIPS_CONCURRENCY": "1", "VIPS_BLOCK_UNTRUSTED": "1", "FETTLE_RUN": "\(run)",
          ]),
          platformOptions: .ownGroup(grace: nil),
          input: .none,
          output: .bytes(limit: Self.longestOutput),
          error: .bytes(limit: Self.longestOutput)
        ) { group.began($0.processIdentifier.value) }
      }
      let output = String(decoding: result.standardOutput, as: UTF8.self)
      switch result.terminationStatus {
      case .exited(let status): return (.exited(Int(status), Self.lastLine(result.standardError)), output)
      case .signaled(let signal): return (.killed(Int(signal)), output)
      }
    } catch is JobFailure {
      return (.timedOut, "")
    } catch let error as SubprocessError where error.code == .outputLimitExceeded {
      return (.exited(1, "the program wrote too much"), "")
    }
  }

  private static func lastLine(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes.suffix(2_000), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).last.map { String($0.prefix(200)) } ?? ""
  }
}
