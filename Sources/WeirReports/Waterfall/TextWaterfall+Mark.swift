import WeirModel

extension TextWaterfall {
    /// What a cell of a bar shows.
    enum Mark: Int, Sendable, Hashable, CaseIterable {
        /// Time of the task in no known phase.
        case other
        case cache
        case queueing
        case dns
        case connect
        case tls
        case request
        case waiting
        case download
        case hop
        case failed
    }
}

extension TextWaterfall.Mark {
    init(_ phase: Transaction.Phase) {
        self =
            switch phase {
            case .queueing: .queueing
            case .dns: .dns
            case .connect: .connect
            case .tls: .tls
            case .request: .request
            case .waiting: .waiting
            case .download: .download
            }
    }

    func glyph(_ style: TextStyle) -> String {
        switch self {
        case .other: style.glyph("─", "_")
        case .cache: style.glyph("○", "o")
        case .queueing: style.glyph("·", ".")
        case .dns: style.glyph("▂", "d")
        case .connect: style.glyph("▄", "c")
        case .tls: style.glyph("▆", "t")
        case .request: style.glyph("▸", ">")
        case .waiting: style.glyph("▒", "-")
        case .download: style.glyph("█", "#")
        case .hop: style.glyph("›", "|")
        case .failed: style.glyph("✗", "x")
        }
    }

    var paint: TextStyle.Paint {
        switch self {
        case .other, .queueing: .gray
        case .cache, .dns: .cyan
        case .connect: .yellow
        case .tls: .magenta
        case .request, .hop: .bold
        case .waiting: .green
        case .download: .blue
        case .failed: .red
        }
    }

    private var name: String {
        switch self {
        case .other: "not known"
        case .cache: "from cache"
        case .queueing: "queued"
        case .dns: "dns"
        case .connect: "connect"
        case .tls: "tls"
        case .request: "request"
        case .waiting: "waiting"
        case .download: "download"
        case .hop: "next hop"
        case .failed: "failed"
        }
    }

    /// The lines that explain the marks used.
    static func legend(
        _ used: Set<Self>, hasRedirects: Bool, hasPath: Bool, width: Int, style: TextStyle
    ) -> [String] {
        var items = allCases.filter(used.contains).map { mark in
            (columns: mark.name.utf8.count + 2, text: "\(style.paint(mark.glyph(style), mark.paint)) \(mark.name)")
        }
        if hasPath {
            items.append((15, "\(style.paint(style.glyph("◆", "*"), .magenta)) critical path"))
        }
        if hasRedirects {
            let text = "2\(style.glyph("›", ">"))200 = two redirects, then 200"
            items.append((text.count, text))
        }
        var lines: [String] = []
        var line = ""
        var columns = 0
        for item in items where item.columns <= width {
            if !line.isEmpty, columns + 2 + item.columns > width {
                lines.append(line)
                (line, columns) = ("", 0)
            }
            line += line.isEmpty ? item.text : "  \(item.text)"
            columns += item.columns + (columns == 0 ? 0 : 2)
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}
