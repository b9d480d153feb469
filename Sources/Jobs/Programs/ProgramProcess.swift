internal import Domain
internal import Processes
internal import Subprocess

/// One run of an executable. The question is its standard input; the answer is its standard output and exit
/// status.
struct ProgramProcess: Sendable {
  /// The maximum size of the standard output, and of the standard error, in bytes.
  static let longestAnswer = 1 << 20

  /// The absolute path of the executable file.
  let path: String
  /// The maximum time and memory.
  let limits: Program.Limits
  /// The number of the attempt, which decides how long the program waits that asks for a retry.
  let attempt: Int
  /// The environment, with the mark of the attempt.
  let environment: ProgramEnvironment

  /// Runs the executable and returns its standard output. When the time is over, its process group is
  /// terminated, and killed after 2 seconds. However the executable ends, the processes that it leaves are
  /// killed.
  ///
  /// - Throws: ``JobFailure``: temporary for the exit status 75 (EX_TEMPFAIL of sysexits.h), after minutes, and on timeout,
  ///   permanent for any other status than 0, for an end by a signal, and for an output over 1 MiB. Another
  ///   error if the process cannot be started.
  func ask(_ question: String) async throws -> String {
    let mark = ProgramEnvironment.mark
    let group = ProgramGroup(mark: "\(mark)=\(environment.variables[mark] ?? "")")
    defer { group.end() }
    let result = try await Deadline.run(within: limits.time) {
      let input = try UnnamedFile.containing(question.utf8)
      do {
        return try await Subprocess.run(
          .name("sh"),
          // Limits the memory that a process may write to. Reserved memory costs nothing, and runtimes
          // reserve a lot.
          arguments: ["-c", #"ulimit -d "$1" && shift && exec "$@""#, "sh", "\(limits.memory * 1024)", path],
          environment: variables,
          platformOptions: .ownGroup(grace: .seconds(2)),
          input: .fileDescriptor(input, closeAfterSpawningProcess: true),
          output: .bytes(limit: Self.longestAnswer),
          error: .bytes(limit: Self.longestAnswer)
        ) { group.began($0.processIdentifier.value) }
      } catch let error as SubprocessError where error.code == .outputLimitExceeded {
        throw JobFailure.permanent("the program wrote more than 1 MiB")
      }
    }
    switch result.terminationStatus {
    case .exited(0): return String(decoding: result.standardOutput, as: UTF8.self)
    case .exited(75):
      throw JobFailure.temporary(
        Self.reason("the program asked for a retry", result.standardError),
        after: RetryPolicy.programs.delay(afterAttempt: attempt)
      )
    case .exited(let status):
      throw JobFailure.permanent(
        Self.reason("the program exited with status \(status)", result.standardError)
      )
    case .signaled(let signal):
      throw JobFailure.permanent(
        Self.reason("the program was ended by signal \(signal)", result.standardError)
      )
    }
  }

  /// The variables of the program and nothing else.
  private var variables: Environment {
    .custom(
      Dictionary(
        uniqueKeysWithValues: environment.variables.map { (Environment.Key(stringLiteral: $0), $1) }
      )
    )
  }

  /// Returns the reason with the last line of the program's standard error, cut to 500 characters.
  private static func reason(_ what: String, _ said: [UInt8]) -> String {
    let text = String(decoding: said.suffix(2_000), as: UTF8.self)
    guard let last = text.split(whereSeparator: \.isNewline).last else { return what }
    return "\(what): \(last.prefix(500))"
  }
}
