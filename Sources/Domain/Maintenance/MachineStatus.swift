/// The status of a machine.
package enum MachineStatus: String, Sendable, Codable, CaseIterable {
  /// In use.
  case active
  /// Broken or in the workshop.
  case outOfService = "out_of_service"
  /// Sold or scrapped.
  case retired
}
