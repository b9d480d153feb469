/// Finds and changes nodes of a document made of dictionaries, arrays and values.
enum DocumentTree {
  /// A step to a child.
  enum Step: Hashable {
    case key(String)
    case index(Int)
  }

  /// The places of all mappings in the document, the document itself first.
  static func mappings(in node: Any, at place: [Step] = []) -> [[Step]] {
    switch node {
    case let mapping as [String: Any]:
      [place]
        + mapping.keys.sorted().flatMap { key in
          mappings(in: mapping[key] ?? "", at: place + [.key(key)])
        }
    case let list as [Any]:
      list.indices.flatMap { mappings(in: list[$0], at: place + [.index($0)]) }
    default: []
    }
  }

  /// True if a place matches a documented path.
  static func fits(_ place: [Step], _ path: [String]) -> Bool {
    place.count == path.count
      && zip(place, path).allSatisfy { step, part in
        switch step {
        case .index: part == "[]"
        case .key(let key): part.hasPrefix("<") || part == key
        }
      }
  }

  /// The keys of the mapping at a place.
  static func keys(of node: Any, at place: ArraySlice<Step>) -> Set<String> {
    guard let step = place.first else { return Set((node as? [String: Any] ?? [:]).keys) }
    return child(of: node, step).map { keys(of: $0, at: place.dropFirst()) } ?? []
  }

  /// Returns the document with one more key in the mapping at a place.
  static func adding(_ key: String, to node: Any, at place: ArraySlice<Step>) -> Any {
    switch (node, place.first) {
    case (let mapping as [String: Any], nil): return mapping.merging([key: 1]) { old, _ in old }
    case (var mapping as [String: Any], .key(let name)):
      mapping[name] = mapping[name].map { adding(key, to: $0, at: place.dropFirst()) }
      return mapping
    case (var list as [Any], .index(let index)):
      list[index] = adding(key, to: list[index], at: place.dropFirst())
      return list
    default: return node
    }
  }

  private static func child(of node: Any, _ step: Step) -> Any? {
    switch step {
    case .key(let key): (node as? [String: Any])?[key]
    case .index(let index): (node as? [Any]).flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }
  }
}
