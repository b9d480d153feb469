/// The versions that authors give to manifests, workflows and overlays.
enum VersionNumber {
  /// Versions that a column of type `integer` holds; dates such as 20261126 are common.
  static let range = 1...Int(Int32.max)
  /// The range for messages.
  static let words = "1 to \(range.upperBound)"
}
