/// A setting of an app that each company chooses for itself.
package struct CompanySetting: Sendable {
  /// The name, which begins with the app's, such as `maintenance.overlapping_hours`.
  package let name: String
  /// One line about what the setting decides.
  package let about: String
  /// The values to choose from. The first is the default.
  package let choices: [String]

  package init(_ name: String, _ about: String, choices: [String]) {
    self.name = name
    self.about = about
    self.choices = choices
  }
}
