internal import Store
package import Testing

extension Trait where Self == ConditionTrait {
  /// Runs a test of the engine only while an app that it takes as its example is compiled in.
  package static func app(_ name: String) -> Self {
    .enabled(if: Installation.embeddedApps.contains(name), "the app \(name) is not compiled in")
  }
}
