internal import FoundationEssentials
internal import Terminal

extension Screen {
  /// Where results go.
  static var output: Screen { detect(descriptor: 1, environment: ProcessInfo.processInfo.environment) }

  /// Where messages and progress go.
  static var errors: Screen { detect(descriptor: 2, environment: ProcessInfo.processInfo.environment) }
}
