/// Powers of two with fractional exponents, to more bits than a `Double` has.
///
/// Numbers in 1..<2 are held with 127 bits after the binary point. No boundary of a bucket at scale 20 or below comes nearer than
/// 2^-77 to a `Double`, and products of twenty of these are right to 2^-121: what is compared with them is decided exactly.
enum RootsOfTwo {
    /// The most halvings of the exponent.
    static let maximumScale = 20

    /// 2^(numerator / 2^scale).
    ///
    /// - Parameters:
    ///   - numerator: 0 or more, less than 2^scale.
    ///   - scale: 0 to 20.
    static func power(_ numerator: Int, scale: Int) -> UInt128 {
        var result: UInt128 = 1 << 127
        // Bit b of the numerator stands for the root with an exponent of 2^(b - scale).
        for bit in 0..<scale where numerator >> bit & 1 == 1 { result = product(result, roots[scale - bit - 1]) }
        return result
    }

    /// The product of two such numbers, itself less than 2.
    static func product(_ a: UInt128, _ b: UInt128) -> UInt128 {
        let (high, low) = a.multipliedFullWidth(by: b)
        return high << 1 | low >> 127
    }

    /// The roots of two, 2^(1/2), 2^(1/4) and so on to 2^(1/2^20), rounded down.
    static let roots: [UInt128] = halves.map { UInt128($0) << 64 | UInt128($1) }

    private static let halves: [(UInt64, UInt64)] = [
        (0xB504_F333_F9DE_6484, 0x597D_89B3_754A_BE9F), (0x9837_F051_8DB8_A96F, 0x46AD_2318_2E42_F6F6),
        (0x8B95_C1E3_EA8B_D6E6, 0xFBE4_6287_58A5_3C90), (0x85AA_C367_CC48_7B14, 0xC5C9_5B8C_2154_C1B2),
        (0x82CD_8698_AC2B_A1D7, 0x3E2A_475B_4652_0BFF), (0x8164_D1F3_BC03_0773, 0x7BE5_6527_BD14_DEF4),
        (0x80B1_ED4F_D999_AB6C, 0x2533_5719_B6E6_FD20), (0x8058_D7D2_D5E5_F6B0, 0x94D5_89F6_08EE_4AA2),
        (0x802C_6436_D0E0_4F50, 0xFF8C_E94A_6797_B3CE), (0x8016_302F_1746_7628, 0x3690_DFE4_4D11_D008),
        (0x800B_179C_8202_8FD0, 0x945E_54E2_AE18_F2F0), (0x8005_8BAF_7FEE_3B5D, 0x1C71_8B38_E549_CB93),
        (0x8002_C5D0_0FDC_FCB6, 0xB656_6A58_C048_BE1F), (0x8001_62E6_1BED_4A48, 0xE84C_2E1A_4634_73D9),
        (0x8000_B172_92F7_02A3, 0xAA22_BEAC_CA94_9013), (0x8000_58B9_2ABB_AE02, 0x030C_5FA5_256F_41FE),
        (0x8000_2C5C_8DAD_E4D7, 0x1776_C0F4_DBEA_67D6), (0x8000_162E_44EA_F636, 0x526B_E456_600B_DBE4),
        (0x8000_0B17_21FA_7C18, 0x8307_016C_1CD4_E8B6), (0x8000_058B_90DE_7E4C, 0xECFC_4875_0348_8BB1),
    ]
}
