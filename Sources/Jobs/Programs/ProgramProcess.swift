internal import Subprocess

/// One run of an executable: told by its standard input, heard by its standard output and its exit status.
struct ProgramProcess: Sendable {
  /// How much of an answer is read, in bytes.
  static let longestAnswer = 1 << 20

  let path: String
  let limits: Program.Limits

  /// Asks it.
  ///
  /// - Throws: ``JobFailure``: temporary for the exit status 75 (EX_TEMPFAIL of sysexits.h) and when time is over,
  ///   permanent for any other that is not 0.
  func ask(_ question: String) async throws -> String {
    let result = try await Deadline.run(within: limits.time) {
      do {
        return try await Subprocess.run(
          .name("sh"),
          // The limit is on what a process may write to: what is merely reserved costs nothing, and runtimes
          // reserve a lot.
          arguments: ["-c", #"ulimit -d "$1" && shift && exec "$@""#, "sh", "\(limits.memory * 1024)", path],
          environment: Self.environment,
          platformOptions: Self.options,
          input: .string(question),
          output: .bytes(limit: Self.longestAnswer),
          error: .bytes(limit: Self.longestAnswer)
        )
      } catch let error as SubprocessError where error.code == .outputLimitExceeded {
        throw JobFailure.permanent("it said more than a MiB")
      }
    }
    switch result.terminationStatus {
    case .exited(0): return String(decoding: result.standardOutput, as: UTF8.self)
    case .exited(75):
      throw JobFailure.temporary(Self.reason("it asked to be tried again", result.standardError))
    case .exited(let status):
      throw JobFailure.permanent(Self.reason("it ended with status \(status)", result.standardError))
    case .signaled(let signal):
      throw JobFailure.permanent(Self.reason("it was ended by signal \(signal)", result.standardError))
    }
  }

  /// The environment of the worker without what leads to the database and its keys.
  private static var environment: Environment {
    .inherit.updating(
      Dictionary(
        uniqueKeysWithValues: ["DATABASE_URL", "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER"]
          .map { (Environment.Key(stringLiteral: $0), nil) }
          + ["PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE", "CREDENTIALS_DIRECTORY"]
          .map { (Environment.Key(stringLiteral: $0), nil) }
          + [
            "FETTLE_HOME", "FETTLE_KEY_FILE", "FETTLE_SECRETS", "NOTIFY_SOCKET", "WATCHDOG_USEC",
            "WATCHDOG_PID",
          ]
          .map { (Environment.Key(stringLiteral: $0), nil) }
      )
    )
  }

  /// A group of its own, so that whatever it started ends with it when time is over.
  private static var options: PlatformOptions {
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = [
      .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2)),
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(2)),
    ]
    return options
  }

  /// What happened, with the last line of what the program said about it.
  private static func reason(_ what: String, _ said: [UInt8]) -> String {
    let text = String(decoding: said.suffix(2_000), as: UTF8.self)
    guard let last = text.split(whereSeparator: \.isNewline).last else { return what }
    return "\(what): \(last.prefix(500))"
  }
}
