internal import FoundationEssentials
package import Terminal

extension Screen {
  /// Where results go.
  package static var output: Screen {
    detect(descriptor: 1, environment: ProcessInfo.processInfo.environment)
  }

  /// Where messages and progress go.
  package static var errors: Screen {
    detect(descriptor: 2, environment: ProcessInfo.processInfo.environment)
  }
}
