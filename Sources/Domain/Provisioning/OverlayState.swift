/// A company's overlay on one version of a workflow.
package struct OverlayState: Sendable, Hashable {
  /// The overlay, without the company's slug.
  package let overlay: WorkflowOverlay
  /// The overlay as an object for a file; nil for an overlay that was read from a file.
  let text: JSONValue?

  /// Creates a state from an overlay, without its company.
  ///
  /// - Parameter text: the stored overlay; nil for one from a file.
  package init(_ overlay: WorkflowOverlay, text: JSONValue? = nil) {
    self.overlay = WorkflowOverlay(
      workflow: overlay.workflow,
      version: overlay.version,
      transitions: overlay.transitions,
      states: overlay.states,
      labels: overlay.labels
    )
    self.text = text.map(Self.sorted)
  }

  /// The workflow and its version, `maintenance.entry@1`, which identify the overlay in messages and
  /// comparisons.
  package var name: String { "\(overlay.workflow)@\(overlay.version)" }

  /// Returns a value whose members are sorted by name, without `company`. The database does not keep their
  /// order.
  private static func sorted(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object):
      .object(
        JSONObject(
          object.members.filter { $0.key != "company" }.sorted { $0.key < $1.key }.map {
            ($0.key, sorted($0.value))
          }
        )
      )
    case .array(let elements): .array(elements.map(sorted))
    default: value
    }
  }
}

extension OverlayState: Decodable {
  package init(from decoder: any Decoder) throws {
    self.init(try WorkflowOverlay(from: decoder))
  }
}

extension ProvisioningPlanner {
  /// Plans the overlays, compared by workflow and version. The engine checks that they only tighten.
  func overlays(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) {
    guard let overlays = wanted.overlays else { return }
    var left = Dictionary(
      (current?.overlays ?? []).map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for (index, overlay) in overlays.enumerated() {
      let before = left.removeValue(forKey: overlay.name)
      guard before?.overlay != overlay.overlay else {
        plan.unchanged.append(("overlay", overlay.name))
        continue
      }
      plan.steps.append(
        ProvisioningStep(
          before == nil ? .created : .changed,
          "overlay",
          overlay.name,
          path: "\(path).overlays[\(index)]",
          do: .setOverlay(overlay)
        )
      )
    }
    for overlay in left.values.sorted(by: { $0.name < $1.name }) {
      guard prunes else {
        plan.extra.append(("overlay", overlay.name))
        continue
      }
      removals.append(ProvisioningStep(.removed, "overlay", overlay.name, do: .removeOverlay(overlay)))
    }
  }
}
