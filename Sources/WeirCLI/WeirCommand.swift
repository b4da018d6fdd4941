@main
struct WeirCommand {
    static func main() async {}
}
