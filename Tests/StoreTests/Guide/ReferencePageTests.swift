import Domain
import Foundation
import Store
import Testing

/// The reference of the guide, compared with the decoders of manifests, workflows, overlays and provisioning files.
@Suite struct ReferencePageTests {
  private let page: ReferencePage

  init() throws { page = try ReferencePage() }

  /// Mappings whose keys are names of columns, states, messages, flags or verbs.
  private static let free: Set<String> = [
    "limits", "personal", "messages", "migrate", "relabel", "set", "given", "fields", "flags", "filters",
    "examples",
    "quotas", "workflows", "numbers", "settings", "records",
  ]

  /// The keys that a decoder accepts at a place, from its refusal of an unknown one.
  private func accepted(_ format: String, at place: [DocumentTree.Step]) throws -> Set<String> {
    let tree = try DocumentTree.adding("zz_unknown", to: page.tree(format), at: place[...])
    let data = try JSONSerialization.data(withJSONObject: tree)
    do {
      switch format {
      case "Manifest": _ = try JSONDecoder().decode(AppManifest.self, from: data)
      case "Workflow": _ = try JSONDecoder().decode(WorkflowDefinition.self, from: data)
      case "Provisioning": _ = try JSONDecoder().decode(ProvisioningDocument.self, from: data)
      default: _ = try JSONDecoder().decode(WorkflowOverlay.self, from: data)
      }
    } catch let error as DomainError where error.code == .unknownKey {
      guard case .array(let known)? = error.details["known"] else { return [] }
      return Set(known.compactMap(\.string))
    }
    return []
  }

  @Test(arguments: ["Manifest", "Workflow", "Overlay", "Provisioning"])
  func `the page lists exactly the keys that the decoder accepts`(format: String) throws {
    let tree = try page.tree(format)
    let places = DocumentTree.mappings(in: tree)
    let objects = try #require(page.formats[format]).objects
    #expect(objects.count > 3)
    for object in objects {
      let name = object.path.joined(separator: ".")
      let found = places.filter { DocumentTree.fits($0, object.path) }
      let place = try #require(found.first, "the example of \(format) has no \(name)")
      #expect(try accepted(format, at: place) == object.keys.union(object.refused), "\(format) \(name)")
      let used = found.reduce(into: Set<String>()) { $0.formUnion(DocumentTree.keys(of: tree, at: $1[...])) }
      #expect(object.keys.subtracting(used) == [], "the example of \(format) lacks keys of \(name)")
    }
  }

  @Test(arguments: ["Manifest", "Workflow", "Overlay", "Provisioning"])
  func `every object of an example has a section`(format: String) throws {
    let objects = try #require(page.formats[format]).objects
    for place in DocumentTree.mappings(in: try page.tree(format)) {
      if case .key(let key)? = place.last, Self.free.contains(key) { continue }
      // The keys of a language are made of the app's own names.
      if case .key("words")? = place.dropLast().last { continue }
      let isObject = objects.contains { DocumentTree.fits(place, $0.path) }
      let isListOfNames = objects.contains { object in
        object.path.count > place.count && object.path[place.count].hasPrefix("<")
          && DocumentTree.fits(place, Array(object.path.prefix(place.count)))
      }
      #expect(isObject || isListOfNames, "\(format): \(place)")
    }
  }

  @Test func `the examples are read and linted without findings`() throws {
    func text(_ format: String) -> String { page.formats[format]?.example ?? "" }
    let workflow = try ManifestReader.readWorkflow(text("Workflow"), document: "plant.workflow.yaml")
    let manifest = try ManifestReader.read(text("Manifest"), document: "garden.app.yaml")
      .including(["plant.workflow.yaml": workflow])
    #expect(manifest.validate().map { "\($0.path): \($0.message)" } == [])
    let overlay = try YAMLDocument.decode(WorkflowOverlay.self, text("Overlay"), document: "overlay.yaml")
    #expect(overlay.validate(against: workflow).map { "\($0.path): \($0.message)" } == [])
    let provisioning = text("Provisioning")
    let document = try YAMLDocument.decode(ProvisioningDocument.self, provisioning, document: "acme.yaml")
    #expect(document.companies.map(\.slug) == ["acme"])
  }

  @Test func `every error code has an entry with a remedy, and every entry a code`() throws {
    let file = ReferencePage.folder.appending(path: "troubleshooting.md")
    let sections = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n### ").dropFirst()
    let entries = sections.map { $0.components(separatedBy: "\n")[0] }
    #expect(Set(entries) == Set(ErrorCode.allCases.map(\.rawValue)))
    #expect(entries.count == ErrorCode.allCases.count)
    for section in sections { #expect(section.contains("\n\nTo do: "), "\(section.prefix(40))") }
  }
}
