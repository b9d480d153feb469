internal import Processes
internal import Subprocess

/// Hands mails to a program that takes them as sendmail does: `sendmail -t -i`.
package struct SendmailClient: Mailer {
  private let path: String
  private let limit: Duration
  private let environment: [String: String]

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - path: the absolute path of the program.
  ///   - limit: the time limit for one mail.
  ///   - environment: the process's environment; only `PATH` and `HOME` are passed on.
  package init(path: String, limit: Duration = .seconds(40), environment: [String: String]) {
    self.path = path
    self.limit = limit
    var kept = environment.filter { ["PATH", "HOME"].contains($0.key) }
    kept["PATH"] = kept["PATH"] ?? "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    kept["LC_ALL"] = "C"
    self.environment = kept
  }

  package func send(_ message: MailMessage) async -> MailOutcome {
    let bytes: [UInt8]
    do {
      bytes = try message.rendered()
    } catch {
      return .permanent(reason: error.message, nil, isAddress: false)
    }
    // Programs on Unix expect bare line feeds.
    let lines = bytes.filter { $0 != 0x0D }
    do {
      return try await withThrowingTaskGroup(of: MailOutcome?.self) { group in
        group.addTask { try await run(lines, sender: message.from.address) }
        group.addTask {
          try await Task.sleep(for: limit)
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next().flatMap(\.self)
          ?? .temporary(reason: "\(path) took longer than \(limit)", nil)
      }
    } catch is CancellationError {
      return .temporary(reason: "the mail was cancelled", nil)
    } catch {
      return .temporary(reason: "\(path) cannot be run: \(error)", nil)
    }
  }

  private func run(_ message: [UInt8], sender: String) async throws -> MailOutcome {
    let input = try UnnamedFile.containing(message)
    let result = try await Subprocess.run(
      .name("sh"),
      arguments: ["-c", #"exec "$@""#, "sh", path, "-t", "-i", "-f", sender],
      environment: .custom(
        Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), $1) })
      ),
      platformOptions: .ownGroup(grace: .seconds(2)),
      input: .fileDescriptor(input, closeAfterSpawningProcess: true),
      output: .discarded,
      error: .bytes(limit: 65_536)
    )
    return switch result.terminationStatus {
    case .exited(let status): outcome(Int(status), Self.lastLine(result.standardError))
    case .signaled(let signal): .temporary(reason: "\(path) was ended by signal \(signal)", nil)
    }
  }

  /// Returns the outcome of an exit status (`sysexits.h`).
  private func outcome(_ status: Int, _ text: String) -> MailOutcome {
    let answer = MailAnswer(code: status, text: text)
    let reason = "\(path) exited with status \(status)" + (text.isEmpty ? "" : ": \(text)")
    return switch status {
    case 0: .accepted(answer)
    // EX_NOUSER, EX_NOHOST
    case 67, 68: .permanent(reason: reason, answer, isAddress: true)
    // EX_DATAERR
    case 65: .permanent(reason: reason, answer, isAddress: false)
    default: .temporary(reason: reason, answer)
    }
  }

  private static func lastLine(_ said: [UInt8]) -> String {
    let text = String(decoding: said.suffix(2_000), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).last.map { String($0.prefix(300)) } ?? ""
  }
}
