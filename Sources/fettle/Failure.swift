internal import ArgumentParser
internal import Cluster
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Secrets
internal import Store
internal import Terminal

/// What a command ends with when it does not succeed: a message with a hint, and an exit code that scripts know.
struct Failure {
  private let report: ErrorReport?
  private let code: Terminal.ExitCode
  private let original: any Error

  init(_ error: any Error) {
    original = error
    switch error {
    case let error as DomainError:
      report = ErrorReport(error)
      code = Self.code(error.category)
    case let error as PostgresError:
      let refusal = DomainError(error)
      report = ErrorReport(refusal)
      code = Self.code(refusal.category)
    case let error as TerminalError:
      report = error.kind == .outputClosed ? nil : ErrorReport(error)
      code = error.exitCode
    case let error as ClusterError:
      report = ErrorReport(code: "unavailable", message: error.message, hint: error.hint)
      code = .unavailable
    case let error as SecretsError:
      report = ErrorReport(code: "secrets", message: error.message, hint: error.hint)
      code = .invalidInput
    case is CancellationError:
      report = ErrorReport(code: "interrupted", message: "interrupted")
      code = .interrupted
    default:
      report = nil
      code = .internalFailure
    }
  }

  /// Prints it and ends the process; what the argument parser has to say, it says itself.
  func exit() -> Never {
    guard let report else {
      if original is TerminalError { Glibc.exit(code.rawValue) }
      Fettle.exit(withError: original)
    }
    let arguments = CommandLine.arguments
    let asJSON =
      arguments.contains("--output=json")
      || zip(arguments, arguments.dropFirst()).contains {
        ["--output", "-o"].contains($0) && ["json", "jsonl"].contains($1)
      }
    let text = report.rendered(for: asJSON ? .json : .table, on: Screen.errors)
    var out = BufferedOutput(descriptor: 2)
    try? out.write(text)  // nobody reads: the exit code still tells
    try? out.flush()
    Glibc.exit(code.rawValue)
  }

  private static func code(_ category: ErrorCategory) -> Terminal.ExitCode {
    switch category {
    case .notFound: .notFound
    case .denied: .denied
    case .conflict: .conflict
    case .invalid: .invalidInput
    case .unavailable: .unavailable
    case .internal: .internalFailure
    }
  }
}

extension ErrorReport {
  /// A refusal of the domain, in the words of its catalogue.
  init(_ error: DomainError) {
    self.init(
      code: error.code.rawValue,
      message: error.message,
      hint: error.hint,
      details: error.details.members.map { Cell.Field($0.key, Cell($0.value)) }
    )
  }
}
